package render

import (
	"encoding/json"
	"slices"

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

func (c Call) appendInvocation(out []byte) []byte {
	out = append(append(out, c.Tool...), ' ')
	start := len(out)
	out = c.Arguments.Append(out)
	if rawjson.IsPrintableASCII(out[start:]) {
		return out
	}
	return append(out[:start], rawjson.Visible(out[start:])...)
}

// structured is the continuation in structured output.
func (c Call) structured() json.RawMessage {
	return rawjson.Object{
		rawjson.String("tool", c.Tool),
		rawjson.Raw("arguments", c.Arguments.Encode()),
	}.Encode()
}

// Calls is the array of continuations in structured output.
func Calls(calls []Call) json.RawMessage {
	elements := make([]json.RawMessage, len(calls))
	for i, call := range calls {
		elements[i] = call.structured()
	}
	return rawjson.Array(elements)
}

// Given is the call that a result answers, as it was given. What goes on from the result repeats it: a renderer
// names only the arguments that it replaces or leaves out (R-HAND-10).
type Given struct {
	Tool      string
	Arguments rawjson.Object // under their advertised names, in the caller's order and spelling
	Accepted  []string       // the names of all arguments that the tool takes
	// Renamed are the names of those for which the RS has another: its name → the argument's.
	Renamed map[string]string
}

// With is the same call with these values of the RS's parameters in place of its own. A tool that does not take one of
// them has no such call.
func (g Given) With(replaced ...rawjson.Member) []Call {
	arguments := g.Arguments
	for _, member := range replaced {
		if !g.takes(member.Name) {
			return nil
		}
		arguments = arguments.With(g.argument(member.Name), member.Value)
	}
	return []Call{{Tool: g.Tool, Arguments: arguments}}
}

// Without is the call without these parameters of the RS.
func (g Given) Without(parameters ...string) Given {
	for _, parameter := range parameters {
		g.Arguments = g.Arguments.Without(g.argument(parameter))
	}
	return g
}

func (g Given) takes(parameter string) bool {
	return slices.Contains(g.Accepted, g.argument(parameter))
}

// argument is the name of the argument that is sent as a parameter of the RS.
func (g Given) argument(parameter string) string {
	if name, renamed := g.Renamed[parameter]; renamed {
		return name
	}
	return parameter
}
