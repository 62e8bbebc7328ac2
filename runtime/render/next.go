package render

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Call is a continuation: a tool and the arguments to pass to it as they are (R-HAND-7).
type Call struct {
	Tool      string
	Arguments rawjson.Object // in the order in which they are written
}

// Line is the continuation in a text: next: tool {arguments}.
func (c Call) Line() string { return "next: " + c.invocation() }

func (c Call) invocation() string { return string(c.appendInvocation(nil)) }

// appendLine appends what Line gives.
func (c Call) appendLine(out []byte) []byte { return c.appendInvocation(append(out, "next: "...)) }

func (c Call) appendInvocation(out []byte) []byte {
	out = append(append(out, c.Tool...), ' ')
	start := len(out)
	out = c.Arguments.Append(out)
	if rawjson.IsPrintableASCII(out[start:]) {
		return out
	}
	return append(out[:start], Visible(out[start:])...)
}

// Structured is the continuation in structured output.
func (c Call) Structured() json.RawMessage {
	return rawjson.Object{
		rawjson.String("tool", c.Tool),
		rawjson.Raw("arguments", c.Arguments.Encode()),
	}.Encode()
}

// Calls is the array of continuations in structured output.
func Calls(calls []Call) json.RawMessage {
	elements := make([]json.RawMessage, len(calls))
	for i, call := range calls {
		elements[i] = call.Structured()
	}
	return rawjson.Array(elements)
}
