package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Line returns a continuation as a line of text: next: tool {arguments}.
func Line(call answer.Call) string { return callLine("next", call) }

func callLine(word string, call answer.Call) string {
	return word + ": " + call.Tool + " " + rawjson.Visible(call.Arguments.Encode())
}

// callLines returns calls as lines of text. Each begins with the word for its purpose.
func callLines(word string, calls []answer.Call) []string {
	var lines []string
	for _, call := range calls {
		lines = append(lines, callLine(word, call))
	}
	return lines
}

// structuredCall returns a continuation in structured output.
func structuredCall(call answer.Call) json.RawMessage {
	return rawjson.Object{rawjson.String("tool", call.Tool), rawjson.Raw("arguments", call.Arguments.Encode())}.Encode()
}

// Calls returns the array of continuations in structured output.
func Calls(calls []answer.Call) json.RawMessage {
	elements := make([]json.RawMessage, len(calls))
	for i, call := range calls {
		elements[i] = structuredCall(call)
	}
	return rawjson.Array(elements)
}

func deref(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
