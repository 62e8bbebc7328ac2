package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// What every answer is said to have used.
const (
	InputTokens  = 100
	OutputTokens = 10
)

func writeError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// the client may have gone
	_, _ = fmt.Fprintf(w, `{"type":"error","error":{"type":"replayed_error","message":%s}}`, quoted(message))
}

// quoted returns a text as a JSON string.
func quoted(text string) string {
	encoded, _ := json.Marshal(text) // a text always encodes
	return string(encoded)
}

// writeEvents writes events that begin with their type and are named by it.
func writeEvents(w io.Writer, events ...string) {
	for _, event := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, event)
	}
}

// writeMessage writes a reply as a stream of the Messages API.
func writeMessage(w io.Writer, reply Reply) {
	block, delta, reason := `{"type":"text","text":""}`, `{"type":"text_delta","text":`+quoted(reply.Text)+`}`, "end_turn"
	if reply.Tool != "" {
		block = fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, reply.ID, reply.Tool)
		delta = `{"type":"input_json_delta","partial_json":` + quoted(reply.Arguments) + `}`
		reason = "tool_use"
	}
	writeEvents(w,
		fmt.Sprintf(`{"type":"message_start","message":{"id":"msg_%s","type":"message","role":"assistant","model":"replay",`+
			`"content":[],`+
			`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":1}}}`, reply.ID, InputTokens),
		`{"type":"content_block_start","index":0,"content_block":`+block+`}`,
		`{"type":"content_block_delta","index":0,"delta":`+delta+`}`,
		`{"type":"content_block_stop","index":0}`,
		fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}}`,
			reason, OutputTokens),
		`{"type":"message_stop"}`,
	)
}

// writeCompletion writes a reply as a stream of the Chat Completions API.
func writeCompletion(w io.Writer, reply Reply) {
	delta, reason := `{"role":"assistant","content":`+quoted(reply.Text)+`}`, "stop"
	if reply.Tool != "" {
		delta = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":%q,"type":"function","function":{"name":%q,`+
			`"arguments":%s}}]}`,
			reply.ID, reply.Tool, quoted(reply.Arguments))
		reason = "tool_calls"
	}
	chunk := func(choices, usage string) {
		fmt.Fprintf(w, `data: {"id":"chatcmpl-%s","object":"chat.completion.chunk","created":1,"model":"replay",`+
			`"choices":[%s],"usage":%s}`+"\n\n",
			reply.ID, choices, usage)
	}
	chunk(`{"index":0,"delta":`+delta+`,"finish_reason":null}`, "null")
	chunk(`{"index":0,"delta":{},"finish_reason":"`+reason+`"}`, "null")
	chunk("", fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, InputTokens, OutputTokens,
		InputTokens+OutputTokens))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// writeResponse writes a reply as a stream of the Responses API.
func writeResponse(w io.Writer, reply Reply) {
	item := `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":` +
		quoted(reply.Text) + `}]}`
	if reply.Tool != "" {
		item = fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":%q,"namespace":%q,"name":%q,"arguments":%s}`,
			reply.ID, reply.ID, reply.Namespace, reply.Tool, quoted(reply.Arguments))
	}
	writeEvents(w,
		fmt.Sprintf(`{"type":"response.created","response":{"id":"resp_%s"}}`, reply.ID),
		`{"type":"response.output_item.done","output_index":0,"item":`+item+`}`,
		fmt.Sprintf(`{"type":"response.completed","response":{"id":"resp_%s","usage":{"input_tokens":%d,`+
			`"input_tokens_details":null,`+
			`"output_tokens":%d,"output_tokens_details":null,"total_tokens":%d}}}`, reply.ID, InputTokens, OutputTokens,
			InputTokens+OutputTokens),
	)
}
