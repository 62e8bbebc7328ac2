package render

import (
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
)

// Call is a continuation: a tool and the arguments to pass to it unchanged (R-HAND-7).
type Call struct {
	Tool      string
	Arguments rawjson.Object // in the order in which they are written
}

// Line returns the continuation as a line of text: next: tool {arguments}.
func (c Call) Line() string { return c.line("next") }

func (c Call) line(word string) string {
	return word + ": " + c.Tool + " " + rawjson.Visible(c.Arguments.Encode())
}

// callLines returns calls as lines of text. Each begins with the word for its purpose.
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
	Arguments rawjson.Object // in the caller's order and spelling
	Accepted  []string       // the names of all arguments of the tool
}

// With returns the call with these arguments replaced. It returns nil if the tool does not accept one of them.
func (g Given) With(replaced ...rawjson.Member) []Call {
	arguments := g.Arguments
	for _, member := range replaced {
		if !slices.Contains(g.Accepted, member.Name) {
			return nil
		}
		arguments = arguments.With(member.Name, member.Value)
	}
	return []Call{{Tool: g.Tool, Arguments: arguments}}
}

// Without returns the call without these arguments.
func (g Given) Without(names ...string) Given {
	g.Arguments = g.Arguments.Without(names...)
	return g
}

// RecordsInput is what the renderer of records needs to know of the call.
type RecordsInput struct {
	Call         Given
	Stream       string
	ConnectionID *string
	Fields       []string // nil if all fields were requested
}

// AggregateInput is what the renderer of aggregates needs to know of the call.
type AggregateInput struct {
	Call         Given
	Stream       string
	ConnectionID *string
}

// SearchInput is what the renderer of search results needs to know of the call.
type SearchInput struct {
	Call         Given
	ConnectionID *string
}

// DocumentInput is what the renderer of a fetched record needs to know of the call.
type DocumentInput struct {
	Target recordid.Target
	Fields []string // nil if all fields were requested
}

// FieldWindowInput is what the renderer of a field window needs to know of the call.
type FieldWindowInput struct {
	Call      Given
	Target    recordid.Target
	FieldPath string

	File FileInput // the file whose text is shown; zero for a text field

	// Another returns the members of another window of the file's text. It is nil if the resource server has the text.
	Another func(offset, limit int64) rawjson.Object
}

func deref(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
