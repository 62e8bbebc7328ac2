package replay_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/replay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// The requests of three APIs: what they offer and ask, and what they hold after the call.
var apis = map[string]struct{ path, first, second, call, text string }{
	"messages": {
		"/v1/messages",
		`{"tools":[{"name":"mcp__data__search"}],"messages":[{"role":"user","content":"Question: How many \u003cb\u003e?"}]}`,
		`{"tools":[{"name":"mcp__data__search"}],"messages":[{"content":[{"type":"tool_use","id":"call_1_0"}]}]}`,
		`"name":"mcp__data__search"`, `"type":"text_delta","text":"ANSWER: 3"`,
	},
	"completions": {
		"/v1/chat/completions",
		`{"tools":[{"type":"function","function":{"name":"search"}}],"messages":[{"role":"user","content":"Question: How ` +
			`many <b>?"}]}`,
		`{"tools":[{"type":"function","function":{"name":"search"}}],"messages":[{"role":"tool","tool_call_id":"call_1_0"}]}`,
		`"function":{"name":"search","arguments":"{\"q\":\"b\"}"}`, `"content":"ANSWER: 3"`,
	},
	"responses": {
		"/v1/responses",
		`{"tools":[{"type":"namespace","name":"mcp__data","tools":[{"name":"search"}]}],` +
			`"input":[{"content":[{"text":"Question: How many <b>?"}]}]}`,
		`{"tools":[{"type":"namespace","name":"mcp__data","tools":[{"name":"search"}]}],"input":[{"type":"function_call",` +
			`"call_id":"call_1_0"}]}`,
		`"namespace":"mcp__data","name":"search"`, `"type":"output_text","text":"ANSWER: 3"`,
	},
}

// R-EVAL-1: recorded attempts are played with the wire format of each API.
func TestRecordedAttemptsArePlayed(t *testing.T) {
	recorded := replay.Recorded([]transcript.Attempt{
		{Prompt: "How many?", Text: "ANSWER: 9"},
		{
			Prompt: "How many <b>?", Text: "ANSWER: 3",
			Calls: []transcript.Call{{Tool: "search", Arguments: []byte(`{"q":"b"}`)}},
		},
	})
	for name, api := range apis {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(replay.New(recorded...).Handler())
			defer server.Close()
			status, call := post(t, server.URL+api.path, api.first)
			if status != http.StatusOK || !strings.Contains(call, api.call) {
				t.Errorf("%d: the call is\n%s", status, call)
			}
			status, text := post(t, server.URL+api.path, api.second)
			if status != http.StatusOK || !strings.Contains(text, api.text) {
				t.Errorf("%d: the text is\n%s", status, text)
			}
			if status, _ := post(t, server.URL+api.path,
				strings.Replace(api.first, "How many", "Who", 1)); status != http.StatusBadRequest {
				t.Errorf("an unknown prompt has the status %d", status)
			}
		})
	}
}

// R-EVAL-1: each fault of a turn comes once, in order, and then the answer.
func TestFaultsComeFirst(t *testing.T) {
	faults := []string{replay.RateLimit, replay.Overloaded, replay.Refused, replay.InvalidKey, replay.Truncated}
	server := httptest.NewServer(
		replay.New(replay.Conversation{
			Prompt: "How many",
			Turns:  []replay.Turn{{Text: "ANSWER: 3", Faults: faults}},
		}).Handler())
	defer server.Close()
	api := apis["messages"]
	for i, want := range []int{429, 503, 400, 401, 200, 200} {
		status, text := post(t, server.URL+api.path, api.first)
		if whole := strings.Contains(text, "message_stop"); status != want || whole != (i == len(faults)) {
			t.Errorf("request %d: status %d, whole is %t, want %d", i+1, status, whole, want)
		}
	}
}

func post(t *testing.T, url, body string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}
