//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// namespacedCall is a tool call as Codex takes it: the namespace names the server.
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

func (responsesRequest) counts() bool { return true }

// newResponsesModel serves a scripted model with the Responses API of OpenAI, below /v1 of its URL.
func newResponsesModel(t *testing.T, calls ...namespacedCall) *playedModel[responsesRequest, namespacedCall] {
	t.Helper()
	return playModel[responsesRequest](t, "POST /v1/responses", calls, writeResponse)
}

// writeResponse streams an answer: a call, or a word if none is left.
func writeResponse(w http.ResponseWriter, number int, made *namespacedCall) {
	item := `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"done"}]}`
	if made != nil {
		arguments, _ := json.Marshal(made.Arguments) // a string always encodes
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","namespace":%q,"name":%q,"arguments":%s}`,
			number, number, made.Namespace, made.Tool, arguments)
	}
	writeEvents(w,
		fmt.Sprintf(`{"type":"response.created","response":{"id":"resp_%d"}}`, number),
		`{"type":"response.output_item.done","output_index":0,"item":`+item+`}`,
		fmt.Sprintf(`{"type":"response.completed","response":{"id":"resp_%d","usage":{"input_tokens":1,"input_tokens_details":null,`+
			`"output_tokens":1,"output_tokens_details":null,"total_tokens":2}}}`, number),
	)
}
