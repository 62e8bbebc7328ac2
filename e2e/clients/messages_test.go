//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

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

func (r messagesRequest) counts() bool { return len(r.Tools) > 0 }

// newMessagesModel serves a scripted model with the Messages API of Anthropic.
func newMessagesModel(t *testing.T, calls ...call) *playedModel[messagesRequest, call] {
	t.Helper()
	return playModel[messagesRequest](t, "POST /v1/messages", calls, writeMessage)
}

// writeMessage streams an answer: a call, or a word if none is left.
func writeMessage(w http.ResponseWriter, number int, made *call) {
	block, delta, reason := `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`, "end_turn"
	if made != nil {
		arguments, _ := json.Marshal(made.Arguments) // a string always encodes
		block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":%q,"input":{}}`, number, made.Tool)
		delta = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, arguments)
		reason = "tool_use"
	}
	writeEvents(w,
		fmt.Sprintf(`{"type":"message_start","message":{"id":"msg_%d","type":"message","role":"assistant","model":"played","content":[],`+
			`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`, number),
		`{"type":"content_block_start","index":0,"content_block":`+block+`}`,
		`{"type":"content_block_delta","index":0,"delta":`+delta+`}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"`+reason+`","stop_sequence":null},"usage":{"output_tokens":1}}`,
		`{"type":"message_stop"}`,
	)
}
