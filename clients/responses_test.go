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

// responsesModel plays a model behind the Responses API of OpenAI. It makes its calls one after the other, and
// keeps what it is told.
type responsesModel struct {
	URL string

	mu    sync.Mutex
	calls []namespacedCall
	asked []responsesRequest
}

// namespacedCall is a tool call as Codex takes it: the namespace stands for the server.
type namespacedCall struct {
	Namespace string
	call
}

type responsesRequest struct {
	Instructions string            `json:"instructions"`
	Tools        []json.RawMessage `json:"tools"`
	Input        []responsesItem   `json:"input"`
}

type responsesItem struct {
	Type   string          `json:"type"`
	CallID string          `json:"call_id"`
	Output json.RawMessage `json:"output"`
	Tools  json.RawMessage `json:"tools"`
}

// newResponsesModel serves the model on loopback until the test ends.
func newResponsesModel(t *testing.T, calls ...namespacedCall) *responsesModel {
	t.Helper()
	model := &responsesModel{calls: calls}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, r *http.Request) {
		var request responsesRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Errorf("the client sent no JSON: %v", err)
		}
		number, made := model.next(request)
		writeResponse(w, number, made)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	model.URL = server.URL + "/v1"
	return model
}

// next gives the number of the call to make and the call, or none when all are made.
func (m *responsesModel) next(request responsesRequest) (number int, made *namespacedCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, request)
	if number = len(m.asked); number <= len(m.calls) {
		return number, &m.calls[number-1]
	}
	return number, nil
}

// requests are what the model was asked, in their order.
func (m *responsesModel) requests() []responsesRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// writeResponse streams an answer: a call, or a word when there is none left.
func writeResponse(w http.ResponseWriter, number int, made *namespacedCall) {
	w.Header().Set("Content-Type", "text/event-stream")
	item := `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"done"}]}`
	if made != nil {
		arguments, _ := json.Marshal(made.Arguments) // a string always encodes
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","namespace":%q,"name":%q,"arguments":%s}`,
			number, number, made.Namespace, made.Tool, arguments)
	}
	for _, event := range []string{
		fmt.Sprintf(`{"type":"response.created","response":{"id":"resp_%d"}}`, number),
		`{"type":"response.output_item.done","output_index":0,"item":` + item + `}`,
		fmt.Sprintf(`{"type":"response.completed","response":{"id":"resp_%d","usage":{"input_tokens":1,"input_tokens_details":null,`+
			`"output_tokens":1,"output_tokens_details":null,"total_tokens":2}}}`, number),
	} {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, event)
	}
}
