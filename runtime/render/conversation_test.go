package render_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
)

// R-FIND-3: the calls for the conversation of a record and its neighbours. Those in a thread begin with the record, so
// that they show its neighbours however dense the thread is. A number without the field that it needs names the
// conversation alone.
func TestCallsOfAConversation(t *testing.T) {
	target := recordid.Target{Handle: "cin_1/s:1", ConnectionID: pointer("cin_1"), Stream: "s", RecordID: "1"}
	for data, want := range map[string][]string{
		`{"thread_id":"t1","sent_at":"2026-02-03T04:05:06.5Z"}`: {
			`"conversation":{"tool":"query_records","arguments":{"stream":"s","connection_id":"cin_1",` +
				`"filter":{"thread_id":"t1"},"order":"asc"`,
			`"before":{"tool":"query_records","arguments":{"stream":"s","connection_id":"cin_1","filter":{"thread_id":"t1",` +
				`"sent_at":{"lte":"2026-02-03T04:05:06.5Z"}},"order":"desc"`,
			`"after":{"tool":"query_records","arguments":{"stream":"s","connection_id":"cin_1","filter":{"thread_id":"t1",` +
				`"sent_at":{"gte":"2026-02-03T04:05:06.5Z"}},"order":"asc"`,
		},
		`{"issue_number":5,"repository":"a/b"}`: {`"filter":{"issue_number":5,"repository":"a/b"}`},
		`{"issue_number":5}`:                    {`"conversation":`, `"filter":{"issue_number":5}`},
		`{"channel_id":"c","sent_at":"2026-02-03T04:05:06Z"}`: {
			`"near":`, `"filter":{"channel_id":"c","sent_at":{"gte":"2026-02-03T03:05:06Z","lte":"2026-02-03T05:05:06Z"}}`,
		},
	} {
		body := `{"id":"1","stream":"s","connection_id":"cin_1","data":` + data + `}`
		result, err := readDocument(t.Context(), env, responded("/r", body), record.DocumentInput{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range want {
			if !strings.Contains(string(result.Structured), each) {
				t.Errorf("%s lacks %s: %s", data, each, result.Structured)
			}
		}
	}
}
