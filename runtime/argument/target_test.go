package argument_test

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/argument"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func recordURI(object string) string {
	return "pdpp://record/" + base64.RawURLEncoding.EncodeToString([]byte(object))
}

// R-HAND-3: every form names the record, forwards the embedded connection, and is echoed as it was.
func TestResolveTarget(t *testing.T) {
	cin1 := pointer("cin_1")
	uri := recordURI(`{"v":1,"kind":"record","connection_id":"cin_1","stream":"messages","record_id":"m1"}`)
	tests := []struct {
		name  string
		input argument.TargetInput
		want  recordid.Target
	}{
		{
			"self-contained",
			argument.TargetInput{ID: pointer("cin_1/messages:m1")},
			recordid.Target{Handle: "cin_1/messages:m1", ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"self-contained beside the same connection (R-HAND-4)",
			argument.TargetInput{ID: pointer("cin_1/messages:m1"), ConnectionID: cin1},
			recordid.Target{Handle: "cin_1/messages:m1", ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"short (R-HAND-6)",
			argument.TargetInput{ID: pointer("messages:m1")},
			recordid.Target{Handle: "messages:m1", Stream: "messages", RecordID: "m1"},
		},
		{
			"short beside a connection",
			argument.TargetInput{ID: pointer("messages:m1"), ConnectionID: cin1},
			recordid.Target{Handle: "messages:m1", ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"URI",
			argument.TargetInput{ID: &uri},
			recordid.Target{Handle: uri, ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"URI of a percent-encoded id",
			argument.TargetInput{ID: pointer("pdpp://record/cin_1%2Fmessages%3Am1")},
			recordid.Target{Handle: "pdpp://record/cin_1%2Fmessages%3Am1", ConnectionID: cin1, Stream: "messages", RecordID: "m1"},
		},
		{
			"parts (R-ARG-9)",
			argument.TargetInput{Stream: pointer("days"), RecordID: pointer(`["u","2026-04-01"]`), ConnectionID: cin1},
			recordid.Target{Handle: `cin_1/days:["u","2026-04-01"]`, ConnectionID: cin1, Stream: "days", RecordID: `["u","2026-04-01"]`},
		},
		{
			"parts without connection",
			argument.TargetInput{Stream: pointer("messages"), RecordID: pointer("m1")},
			recordid.Target{Handle: "messages:m1", Stream: "messages", RecordID: "m1"},
		},
		{
			"parts that no id can hold",
			argument.TargetInput{Stream: pointer("messages"), RecordID: pointer("m1"), ConnectionID: pointer("a:b")},
			recordid.Target{
				Handle:       recordURI(`{"v":1,"kind":"record","connection_id":"a:b","stream":"messages","record_id":"m1"}`),
				ConnectionID: pointer("a:b"), Stream: "messages", RecordID: "m1",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := argument.ResolveTarget(test.input)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// R-HAND-4, R-HAND-5, R-ARG-7, R-ARG-9: what names no record, or two, is refused.
func TestResolveTargetRefuses(t *testing.T) {
	id, stream, record := pointer("cin_1/messages:m1"), pointer("messages"), pointer("m1")
	window := "pdpp://field-window/" + base64.RawURLEncoding.EncodeToString([]byte(
		`{"v":1,"kind":"field-window","stream":"messages","record_id":"m1","field_path":"body"}`))
	tests := []struct {
		name  string
		input argument.TargetInput
		code  tool.Code
		param string
	}{
		{"nothing", argument.TargetInput{}, tool.InvalidFieldWindowSelector, "id"},
		{"connection alone", argument.TargetInput{ConnectionID: pointer("cin_1")}, tool.InvalidFieldWindowSelector, "id"},
		{"stream alone", argument.TargetInput{Stream: stream}, tool.InvalidFieldWindowSelector, "record_id"},
		{"record_id alone", argument.TargetInput{RecordID: record}, tool.InvalidFieldWindowSelector, "stream"},
		{"id and stream", argument.TargetInput{ID: id, Stream: stream}, tool.InvalidFieldWindowSelector, "id"},
		{"id and record_id", argument.TargetInput{ID: id, RecordID: record}, tool.InvalidFieldWindowSelector, "id"},
		{"all three", argument.TargetInput{ID: id, Stream: stream, RecordID: record}, tool.InvalidFieldWindowSelector, "id"},
		{"another connection", argument.TargetInput{ID: id, ConnectionID: pointer("cin_2")}, tool.ConflictingConnectionID, "connection_id"},
		{"empty connection", argument.TargetInput{ID: id, ConnectionID: pointer("")}, tool.ConflictingConnectionID, "connection_id"},
		{"empty id", argument.TargetInput{ID: pointer("")}, tool.InvalidID, "id"},
		{"no handle", argument.TargetInput{ID: pointer("m1")}, tool.InvalidID, "id"},
		{"web address", argument.TargetInput{ID: pointer("https://example.com/a:b")}, tool.InvalidID, "id"},
		{"traversal", argument.TargetInput{ID: pointer("../messages:m1")}, tool.InvalidID, "id"},
		{"traversal in a URI", argument.TargetInput{ID: pointer("pdpp://record/%2e%2e%2Fmessages%3Am1")}, tool.InvalidID, "id"},
		{"broken URI", argument.TargetInput{ID: pointer("pdpp://record/!")}, tool.InvalidID, "id"},
		{"stream URI", argument.TargetInput{ID: pointer("pdpp://stream/messages")}, tool.InvalidID, "id"},
		{"field-window URI", argument.TargetInput{ID: &window}, tool.InvalidID, "id"},
		{"unsafe stream", argument.TargetInput{Stream: pointer(".."), RecordID: record}, tool.InvalidID, "stream"},
		{"unsafe record_id", argument.TargetInput{Stream: stream, RecordID: pointer("a/b")}, tool.InvalidID, "record_id"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target, err := argument.ResolveTarget(test.input)
			refused := asToolError(t, err)
			if refused.Code != test.code || refused.Param != test.param {
				t.Errorf("got %+v and %+v, want %s of %s", target, refused, test.code, test.param)
			}
		})
	}
}
