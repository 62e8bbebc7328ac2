package answer

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Call is a continuation: a tool and the arguments to pass to it unchanged (R-HAND-7).
type Call struct {
	Tool      string
	Arguments rawjson.Object // in the order in which they are written
	Kind      CallKind
}

// CallKind is what a continuation is for (R-CLAIM-7).
type CallKind int

const (
	Continue          CallKind = iota // all calls together return the rest of the list
	OneOfThese                        // each call returns something else
	RestOfField                       // it returns the rest of a clipped value
	RepeatDifferently                 // it asks the same question with other arguments
)

// Given is the call that an answer is for. A continuation repeats it with some arguments replaced or left out (R-HAND-10).
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
