package render_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
)

// R-FIND-3: the calls for the conversation of a record and its neighbours. Those for the neighbours begin with the
// record, so that they show them however dense the conversation is. A reply has the record that it answers too, and
// that record has its replies. A number without the field that it needs names the conversation alone.
func TestCallsOfAConversation(t *testing.T) {
	target := recordid.Target{Handle: "cin_1/s:1", ConnectionID: pointer("cin_1"), Stream: "s", RecordID: "1"}
	const rows = `{"tool":"query_records","arguments":{"stream":"s","connection_id":"cin_1","filter":`
	for data, want := range map[string][]string{
		`{"thread_id":"t1","sent_at":"2026-02-03T04:05:06.5Z"}`: {
			`"conversation":[` + rows + `{"thread_id":"t1"},"order":"asc","fields":["sent_at"]}}]`,
			`"near":[` + rows + `{"thread_id":"t1","sent_at":{"lte":"2026-02-03T04:05:06.5Z"}},` +
				`"order":"desc","fields":["sent_at"],"limit":10},"kind":"before"},` +
				rows + `{"thread_id":"t1","sent_at":{"gte":"2026-02-03T04:05:06.5Z"}},` +
				`"order":"asc","fields":["sent_at"],"limit":10},"kind":"after"}]`,
		},
		`{"issue_number":5,"repository":"a/b"}`: {`"filter":{"issue_number":5,"repository":"a/b"}`},
		`{"issue_number":5}`:                    {`"conversation":`, `"filter":{"issue_number":5}`},
		`{"channel_id":"c","sent_at":"2026-02-03T04:05:06Z"}`: {
			`"conversation":[` + rows + `{"channel_id":"c","sent_at":{"gte":"2026-02-02T16:05:06Z",` +
				`"lte":"2026-02-03T16:05:06Z"}}`,
			`"near":[` + rows + `{"channel_id":"c","sent_at":{"lte":"2026-02-03T04:05:06Z"}}`,
		},
		`{"thread_root_id":"r:0","channel_id":"c","sent_at":"2026-02-03T04:05:06Z"}`: {
			`"conversation":[{"tool":"fetch","arguments":{"id":"cin_1/s:r:0"},"kind":"root"},` +
				rows + `{"thread_root_id":"r:0"},"order":"asc"`,
			`"kind":"replies"}]`, `"near":[` + rows + `{"channel_id":"c","sent_at":{"lte":`,
		},
		`{"thread_root_id":null,"reply_count":2,"channel_id":"c"}`: {
			`"conversation":[` + rows + `{"thread_root_id":"1"},"order":"asc"},"kind":"replies"}]`,
		},
		`{"thread_root_id":null,"reply_count":0,"channel_id":"c","sent_at":"2026-02-03T04:05:06Z"}`: {
			`"conversation":[` + rows + `{"channel_id":"c","sent_at":{"gte":"2026-02-02T16:05:06Z"`,
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
