package resource_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"testing"
)

func TestRecordDetail(t *testing.T) {
	f := newFixture(t)
	a := f.get(personalToken, "/v1/streams/messages/records/p-010?fields=id,subject")
	a.want("data", `{"id":"p-010","subject":"Overdraft notice 10"}`)
	a.want("object", `"record"`)
	a.want("connector_key", `"https://registry.pdpp.dev/connectors/mail"`)
	a.want("meta.count", `{"kind":"none"}`)
	stored := f.number(`SELECT length(CAST(data AS BLOB)) FROM record WHERE key = 'p-010' AND stream = 'messages'`)
	if got := a.at("record_json_bytes"); got != float64(stored) {
		t.Errorf("record_json_bytes = %v, the stored data has %d", got, stored)
	}
	f.get(ownerToken, "/v1/streams/messages/records/p-010?connection_id="+personal).want("connector_key", `"mail"`)
	f.get(bothToken, "/v1/streams/messages/records/w-003").want("connection_id", `"`+work+`"`)
	f.get(personalToken, "/v1/streams/messages/records/p-010?expand=attachments").want("expanded.attachments.data.1.id",
		`"p-010:2"`)
}

// The size of a record counts only the granted fields.
func TestRecordSizeCountsWhatIsGranted(t *testing.T) {
	f := newFixture(t)
	a := f.get(narrowToken, "/v1/streams/messages/records/p-010")
	data, err := json.Marshal(a.at("data"))
	if err != nil {
		t.Fatal(err)
	}
	if got := a.at("record_json_bytes"); got != float64(len(data)) {
		t.Errorf("record_json_bytes = %v, the granted data has %d", got, len(data))
	}
}

func TestRecordIDsOfEveryForm(t *testing.T) {
	f := newFixture(t)
	for stream, id := range map[string]string{"attachments": "p-010:1", "envelopes": `["p-010","2026-01-01"]`} {
		a := f.get(personalToken, "/v1/streams/"+stream+"/records/"+url.PathEscape(id))
		if a.text("id") != id {
			t.Errorf("id = %q, want %q", a.text("id"), id)
		}
	}
}

func TestUnreadableRecords(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct{ token, target string }{
		"unknown":              {personalToken, "messages/records/nope"},
		"in other connection":  {bothToken, "messages/records/p-010?connection_id=" + work},
		"before the range":     {narrowToken, "messages/records/p-009"},
		"at the end of range":  {narrowToken, "messages/records/p-032"},
		"window, unknown":      {personalToken, "messages/records/nope/field-window?field=body"},
		"window, out of range": {narrowToken, "messages/records/p-009/field-window?field=subject"},
	} {
		if a := f.send("GET", test.token, "/v1/streams/"+test.target, ""); a.Code != 404 ||
			a.text("error.code") != "not_found" {
			t.Errorf("%s: answered %d %s", name, a.Code, a.Body)
		}
	}
}

func TestSameKeyUnderTwoConnections(t *testing.T) {
	f := newFixture(t)
	for _, target := range []string{"messages/records/shared", "messages/records/shared/field-window?field=subject"} {
		a := f.send("GET", bothToken, "/v1/streams/"+target, "")
		if a.Code != 409 || a.text("error.code") != "ambiguous_connection" || a.text("error.type") != "api_error" {
			t.Errorf("%s: answered %d %s", target, a.Code, a.Body)
		}
		if got := a.column("error.available_connections", "connection_id"); !slices.Equal(got, []string{personal, work}) {
			t.Errorf("available connections are %v", got)
		}
		a.want("error.retry_with", `"connection_id"`)
	}
	f.get(bothToken, "/v1/streams/messages/records/shared?connection_id="+work).want("connection_id", `"`+work+`"`)
}
