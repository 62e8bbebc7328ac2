package faulttest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
)

// R-ERR-4, design: unusual but valid JSON is passed on or refused, and never crashes the process. Numbers keep
// their digits in both channels.
func TestStrangeContent(t *testing.T) {
	tests := []struct {
		name  string
		fault faulttest.Fault
		holds []string // in both channels
	}{
		{
			"64-bit and larger integers",
			faulttest.InRecords(`"a":9223372036854775807,"b":-9223372036854775808,"c":18446744073709551616,"d":1e400`),
			[]string{"9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e400"},
		},
		{"half a surrogate pair", faulttest.InRecords(`"x":"\ud800"`), nil},
		{"NUL in a text", faulttest.InRecords(`"x":"a\u0000b"`), nil},
		{"terminal sequences", faulttest.InRecords(`"x":"\u001b[2J\u001b]0;owned\u0007"`), nil},
		{"data that is a number", faulttest.Replaced(`{"object":"list","data":7}`), nil},
		{"data that is null", faulttest.Replaced(`{"object":"list","data":null}`), nil},
		{"rows that are numbers", faulttest.Replaced(`{"object":"list","data":[1,2,3]}`), nil},
		{"an empty object", faulttest.Replaced(`{}`), nil},
		{"meta that is a text", faulttest.Prefixed(`"meta":"x"`), nil},
		{"warnings that are numbers", faulttest.Prefixed(`"meta":{"warnings":[1]},"warnings":[2]`), nil},
		{"cursors that are objects", faulttest.Prefixed(`"next_cursor":{"a":1},"has_more":"yes"`), nil},
	}
	calls := []struct{ tool, arguments string }{
		{"query_records", query},
		{"search", `{"q":"barometer","connection_id":"cin_gmail_personal"}`},
		{"search", phrase},
		{"fetch", `{"id":"cin_gmail_personal/messages:p-msg-001"}`},
		{"aggregate", `{"stream":"messages","metric":"count","connection_id":"cin_gmail_personal"}`},
		{"read_record_field", `{"id":"cin_gmail_personal/messages:p-msg-001","field_path":"subject"}`},
		{"schema", `{}`},
		{"schema", `{"stream":"messages"}`},
	}
	for _, way := range ways {
		for _, test := range tests {
			t.Run(way.name+"/"+test.name, func(t *testing.T) {
				watch(t)
				resource := faulttest.New(t)
				resource.Serve(provider())
				a := way.start(t, resource, ample)
				a.mustAnswer("before")
				resource.Inject(faulttest.Plan{Fault: test.fault})
				for i, call := range calls {
					got := a.call(call.tool, call.arguments)
					got.assertUsable(t, call.tool)
					if got.took > amply+slack {
						t.Errorf("%s took %s", call.tool, got.took)
					}
					for _, part := range test.holds {
						if i == 0 && (!strings.Contains(got.text, part) || !strings.Contains(string(got.structured), part)) {
							t.Errorf("%s does not keep %s:\n%s\n%s", call.tool, part, got.text, got.structured)
						}
					}
				}
				resource.Heal()
				a.mustAnswer("after")
			})
		}
	}
}

// assertUsable checks that clients can read a result, whatever was in it: it has text and an object, and is not an
// internal error.
func (s outcome) assertUsable(t *testing.T, tool string) {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(s.structured, &object); err != nil {
		t.Errorf("%s: structured output is no object: %v", tool, err)
	}
	if s.text == "" || len(s.text) > 40_000*4 {
		t.Errorf("%s: text of %d bytes", tool, len(s.text))
	}
	if strings.ContainsAny(s.text, "\x00\x07\x1b") {
		t.Errorf("%s: control characters in text: %q", tool, s.text)
	}
	if s.isError && strings.Contains(s.text, `"internal"`) {
		t.Errorf("%s: %s", tool, s.text)
	}
}
