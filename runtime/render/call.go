package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Line returns a continuation as a line of text: next: tool {arguments}. A call that does not return more of the same
// has its kind.
func Line(call answer.Call) string {
	switch call.Kind {
	case answer.RepeatDifferently, answer.OneOfThese:
		return callLine(nextWord+" ("+string(call.Kind)+")", call)
	}
	return callLine(nextWord, call)
}

func callLine(word string, call answer.Call) string {
	return word + ": " + call.Tool + " " + rawjson.Visible(call.Arguments.Encode())
}

// callLines returns calls as lines of text. Each begins with the word for its purpose, and the kind of a part of a
// conversation.
func callLines(word string, calls []answer.Call) []string {
	var lines []string
	for _, call := range calls {
		purpose := word
		if call.Kind == answer.Root || call.Kind == answer.Replies {
			purpose += " (" + string(call.Kind) + ")"
		}
		lines = append(lines, callLine(purpose, call))
	}
	return lines
}

// structuredCall returns a continuation in structured output. A call without a kind is named by the member that has it.
func structuredCall(call answer.Call) json.RawMessage {
	members := rawjson.Object{rawjson.String("tool", call.Tool), rawjson.Raw("arguments", call.Arguments.Encode())}
	return withText(members, "kind", string(call.Kind)).Encode()
}

// Calls returns the array of continuations in structured output. The only call for the next page does not repeat that
// it is one.
func Calls(calls []answer.Call) json.RawMessage {
	if len(calls) == 1 && calls[0].Kind == answer.Continue {
		calls = answer.CallKind("").As(calls[0])
	}
	elements := make([]json.RawMessage, len(calls))
	for i, call := range calls {
		elements[i] = structuredCall(call)
	}
	return rawjson.Array(elements)
}
