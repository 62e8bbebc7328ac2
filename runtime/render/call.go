package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Call is a continuation: a tool and the arguments to pass to it unchanged (R-HAND-7).
type Call struct {
	Tool      string
	Arguments rawjson.Object // in the order in which they are written
}

// Line returns the continuation in a text: next: tool {arguments}.
func (c Call) Line() string { return c.line("next") }

func (c Call) line(word string) string {
	return word + ": " + c.Tool + " " + rawjson.Visible(c.Arguments.Encode())
}

// callLines returns calls in a text, each after the word that says what it is for.
func callLines(word string, calls []Call) []string {
	var lines []string
	for _, call := range calls {
		lines = append(lines, call.line(word))
	}
	return lines
}

// structured returns the continuation in structured output.
func (c Call) structured() json.RawMessage {
	return rawjson.Object{rawjson.String("tool", c.Tool), rawjson.Raw("arguments", c.Arguments.Encode())}.Encode()
}

// Calls returns the array of continuations in structured output.
func Calls(calls []Call) json.RawMessage {
	elements := make([]json.RawMessage, len(calls))
	for i, call := range calls {
		elements[i] = call.structured()
	}
	return rawjson.Array(elements)
}

// Given is the call that a result answers. A continuation repeats it with some arguments replaced or left out (R-HAND-10).
type Given struct {
	Tool      string
	Arguments rawjson.Object    // under their advertised names, in the caller's order and spelling
	Accepted  []string          // the names of all arguments of the tool
	Renamed   map[string]string // from a parameter of the RS to the argument, where the names differ
}

// With returns the call with these parameters of the RS replaced. It returns nil if the tool does not accept one of them.
func (g Given) With(replaced ...rawjson.Member) []Call {
	arguments := g.Arguments
	for _, member := range replaced {
		name := g.argument(member.Name)
		if !slices.Contains(g.Accepted, name) {
			return nil
		}
		arguments = arguments.With(name, member.Value)
	}
	return []Call{{Tool: g.Tool, Arguments: arguments}}
}

// Without returns the call without these parameters of the RS.
func (g Given) Without(parameters ...string) Given {
	for _, parameter := range parameters {
		g.Arguments = g.Arguments.Without(g.argument(parameter))
	}
	return g
}

// parameter returns the argument that was given for a parameter of the RS, or nil.
func (g Given) parameter(name string) json.RawMessage { return g.Arguments.Get(g.argument(name)) }

// argument returns the name of the argument that is sent as a parameter of the RS.
func (g Given) argument(parameter string) string {
	if name, renamed := g.Renamed[parameter]; renamed {
		return name
	}
	return parameter
}
