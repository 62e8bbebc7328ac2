package argument_test

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/call/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// given has the arguments of a call, named as in read_record_field.
type given struct{ ID, ConnectionID, Stream, RecordID *string }

func (g given) resolve() (recordid.Target, error) {
	var call rawjson.Object
	for name, value := range map[string]*string{
		"id": g.ID, "connection_id": g.ConnectionID, "stream": g.Stream,
		"record_id": g.RecordID,
	} {
		if value != nil {
			call = append(call, rawjson.String(name, *value))
		}
	}
	names := argument.TargetInput{ID: "id", ConnectionID: "connection_id", Stream: "stream", RecordID: "record_id"}
	return argument.ResolveTarget(call, names)
}

func recordURI(object string) string {
	return "pdpp://record/" + base64.RawURLEncoding.EncodeToString([]byte(object))
}

// R-HAND-3: every form names the record, forwards the embedded connection, and is echoed unchanged.
func TestResolveTarget(t *testing.T) {
	cin1 := pointer("cin_1")
	uri := recordURI(`{"v":1,"kind":"record","connection_id":"cin_1","stream":"messages","record_id":"m1"}`)
	tests := []struct {
		name  string
		input given
		want  recordid.Target
	}{
		{
			"self-contained",
			given{ID: pointer("cin_1/messages:m1")},
			recordid.Target{Handle: "cin_1/messages:m1", ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"self-contained with the same connection (R-HAND-4)",
			given{ID: pointer("cin_1/messages:m1"), ConnectionID: cin1},
			recordid.Target{Handle: "cin_1/messages:m1", ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"short (R-HAND-6)",
			given{ID: pointer("messages:m1")},
			recordid.Target{Handle: "messages:m1", Stream: "messages", RecordID: "m1"},
		},
		{
			"short with a connection",
			given{ID: pointer("messages:m1"), ConnectionID: cin1},
			recordid.Target{Handle: "messages:m1", ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"URI",
			given{ID: &uri},
			recordid.Target{Handle: uri, ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"URI of a percent-encoded id",
			given{ID: pointer("pdpp://record/cin_1%2Fmessages%3Am1")},
			recordid.Target{
				Handle: "pdpp://record/cin_1%2Fmessages%3Am1", ConnectionID: cin1,
				Stream: "messages", RecordID: "m1",
			},
		},
		{
			"parts (R-ARG-9)",
			given{Stream: pointer("days"), RecordID: pointer(`["u","2026-04-01"]`), ConnectionID: cin1},
			recordid.Target{
				Handle: `cin_1/days:["u","2026-04-01"]`, ConnectionID: cin1, Stream: "days",
				RecordID: `["u","2026-04-01"]`,
			},
		},
		{
			"parts without connection",
			given{Stream: pointer("messages"), RecordID: pointer("m1")},
			recordid.Target{Handle: "messages:m1", Stream: "messages", RecordID: "m1"},
		},
		{
			"parts that no id can hold",
			given{Stream: pointer("messages"), RecordID: pointer("m1"), ConnectionID: pointer("a:b")},
			recordid.Target{
				Handle:       recordURI(`{"v":1,"kind":"record","connection_id":"a:b","stream":"messages","record_id":"m1"}`),
				ConnectionID: pointer("a:b"), Stream: "messages", RecordID: "m1",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.input.resolve()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// R-HAND-4, R-HAND-5, R-ARG-7, R-ARG-9: a call that names no record, or two, is refused.
func TestResolveTargetRefuses(t *testing.T) {
	id, stream, record := pointer("cin_1/messages:m1"), pointer("messages"), pointer("m1")
	window := "pdpp://field-window/" + base64.RawURLEncoding.EncodeToString([]byte(
		`{"v":1,"kind":"field-window","stream":"messages","record_id":"m1","field_path":"body"}`))
	tests := []struct {
		name  string
		input given
		code  tool.Code
		param string
	}{
		{"nothing", given{}, tool.InvalidFieldWindowSelector, "id"},
		{"connection alone", given{ConnectionID: pointer("cin_1")}, tool.InvalidFieldWindowSelector, "id"},
		{"stream alone", given{Stream: stream}, tool.InvalidFieldWindowSelector, "record_id"},
		{"record_id alone", given{RecordID: record}, tool.InvalidFieldWindowSelector, "stream"},
		{"id and stream", given{ID: id, Stream: stream}, tool.InvalidFieldWindowSelector, "id"},
		{"id and record_id", given{ID: id, RecordID: record}, tool.InvalidFieldWindowSelector, "id"},
		{"all three", given{ID: id, Stream: stream, RecordID: record}, tool.InvalidFieldWindowSelector, "id"},
		{"another connection", given{ID: id, ConnectionID: pointer("cin_2")}, tool.ConflictingConnectionID, "connection_id"},
		{"empty connection", given{ID: id, ConnectionID: pointer("")}, tool.ConflictingConnectionID, "connection_id"},
		{"empty id", given{ID: pointer("")}, tool.InvalidID, "id"},
		{"no handle", given{ID: pointer("m1")}, tool.InvalidID, "id"},
		{"web address", given{ID: pointer("https://example.com/a:b")}, tool.InvalidID, "id"},
		{"traversal", given{ID: pointer("../messages:m1")}, tool.InvalidID, "id"},
		{"traversal in a URI", given{ID: pointer("pdpp://record/%2e%2e%2Fmessages%3Am1")}, tool.InvalidID, "id"},
		{"broken URI", given{ID: pointer("pdpp://record/!")}, tool.InvalidID, "id"},
		{"stream URI", given{ID: pointer("pdpp://stream/messages")}, tool.InvalidID, "id"},
		{"field-window URI", given{ID: &window}, tool.InvalidID, "id"},
		{"unsafe stream", given{Stream: pointer(".."), RecordID: record}, tool.InvalidID, "stream"},
		{"unsafe record_id", given{Stream: stream, RecordID: pointer("a/b")}, tool.InvalidID, "record_id"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target, err := test.input.resolve()
			refused := asToolError(t, err)
			if refused.Code != test.code || refused.Param != test.param {
				t.Errorf("got %+v and %+v, want %s of %s", target, refused, test.code, test.param)
			}
		})
	}
}
