//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// call is a tool call that a played model makes.
type call struct {
	Tool      string
	Arguments string // JSON
}

// messagesModel plays a model behind the Messages API of Anthropic. It makes its calls one after the other, and
// keeps what it is told.
type messagesModel struct {
	URL string

	mu    sync.Mutex
	calls []call
	asked []messagesRequest // those that offer tools
}

type messagesRequest struct {
	Tools    []messagesTool    `json:"tools"`
	System   json.RawMessage   `json:"system"`
	Messages []messagesMessage `json:"messages"`
	Stream   bool              `json:"stream"`
}

type messagesTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	Deferred    bool            `json:"defer_loading"`
}

type messagesMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// newMessagesModel serves the model on loopback until the test ends.
func newMessagesModel(t *testing.T, calls ...call) *messagesModel {
	t.Helper()
	model := &messagesModel{calls: calls}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		var request messagesRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Errorf("the client sent no JSON: %v", err)
		}
		number, made := model.next(request)
		writeMessage(w, number, made)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	model.URL = server.URL
	return model
}

// next gives the number of the call to make and the call, or none when all are made. Requests without tools
// are for titles and the like.
func (m *messagesModel) next(request messagesRequest) (number int, made *call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(request.Tools) == 0 {
		return 0, nil
	}
	m.asked = append(m.asked, request)
	if number = len(m.asked); number <= len(m.calls) {
		return number, &m.calls[number-1]
	}
	return number, nil
}

// requests are those that offered tools, in their order.
func (m *messagesModel) requests() []messagesRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// writeMessage streams an answer: a call, or a word when there is none left.
func writeMessage(w http.ResponseWriter, number int, made *call) {
	w.Header().Set("Content-Type", "text/event-stream")
	block, delta, reason := `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`, "end_turn"
	if made != nil {
		arguments, _ := json.Marshal(made.Arguments) // a string always encodes
		block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":%q,"input":{}}`, number, made.Tool)
		delta = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, arguments)
		reason = "tool_use"
	}
	for _, event := range []string{
		fmt.Sprintf(`{"type":"message_start","message":{"id":"msg_%d","type":"message","role":"assistant","model":"played","content":[],`+
			`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`, number),
		`{"type":"content_block_start","index":0,"content_block":` + block + `}`,
		`{"type":"content_block_delta","index":0,"delta":` + delta + `}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":1}}`,
		`{"type":"message_stop"}`,
	} {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, event)
	}
}
