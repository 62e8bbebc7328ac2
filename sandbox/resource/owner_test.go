package resource_test

import (
	"strings"
	"testing"
)

func TestOwnerDeletesARecord(t *testing.T) {
	f := newFixture(t)
	const target = "/v1/streams/messages/records/p-007"
	if a := f.send("DELETE", personalToken, target, ""); a.Code != 403 || a.text("error.code") != "permission_error" {
		t.Errorf("client: answered %d %s", a.Code, a.Body)
	}
	if a := f.send("DELETE", ownerToken, target+"?connector_id=mail", ""); a.Code != 400 ||
		a.text("error.code") != "ambiguous_connector_instance" {
		t.Errorf("two connections: answered %d %s", a.Code, a.Body)
	}
	const deleted = `SELECT count(*) FROM record WHERE key = 'p-007' AND stream = 'messages' AND deleted_at IS NOT NULL ` +
		`AND data IS NULL`
	if f.number(deleted) != 0 {
		t.Error("a refused request has deleted the record")
	}
	for _, status := range []int{204, 404} {
		if a := f.send("DELETE", ownerToken, target+"?connector_instance_id="+personal, ""); a.Code != status {
			t.Errorf("answered %d %s, want %d", a.Code, a.Body, status)
		}
	}
	if f.number(deleted) != 1 {
		t.Error("there is no tombstone")
	}
}

func TestOwnerIngestsRecords(t *testing.T) {
	f := newFixture(t)
	const target = "/v1/ingest/messages?connector_instance_id=" + work
	body := `{"key":"new-1","data":{"id":"new-1","subject":"Harpsichord","received_at":"2026-07-01T00:00:00Z"},"emitted_at":"2026-07-02T00:00:00Z"}
{"key":"new-2","data":[]}`
	if a := f.send("POST", personalToken, target, body); a.Code != 403 {
		t.Errorf("client: answered %d %s", a.Code, a.Body)
	}
	a := f.send("POST", ownerToken, target, body)
	a.want("records_attempted", "2")
	a.want("records_accepted", "1")
	a.want("rejections.0.key", `"new-2"`)
	f.get(bothToken, "/v1/search?q=harpsichord").want("data.0.record_key", `"new-1"`)
	if a := f.send("POST", ownerToken, target, "not JSON"); a.Code != 400 {
		t.Errorf("answered %d %s", a.Code, a.Body)
	}
	if a := f.send("POST", ownerToken, target, `{"key":"`+strings.Repeat("x", 17<<20)+`"}`); a.Code != 413 {
		t.Errorf("a body over the limit: answered %d", a.Code)
	}
}

func TestOwnerListsConnections(t *testing.T) {
	f := newFixture(t)
	a := f.get(ownerToken, "/v1/owner/connections")
	a.want("data.0.connection_id", `"`+personal+`"`)
	a.want("data.2.connector_key", `"steps"`)
}
