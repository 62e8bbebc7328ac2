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

// CallKind is the kind of result that a continuation returns (R-CLAIM-7), in the word of structured output.
type CallKind string

const (
	Continue          CallKind = "page"    // more of the list; all calls of this kind together return the rest
	RestOfField       CallKind = "value"   // the rest of a clipped value, or of a field after a window
	RepeatDifferently CallKind = "instead" // the same question with other arguments: an answer in place of this one
	OneOfThese        CallKind = "choice"  // one of several answers
	Root              CallKind = "root"    // the record that the others of a conversation answer
	Replies           CallKind = "replies" // the records that answer it
	Before            CallKind = "before"  // a record and those before it, the latest first
	After             CallKind = "after"   // a record and those after it, the earliest first
)

// As returns the calls with a kind.
func (k CallKind) As(calls ...Call) []Call {
	for i := range calls {
		calls[i].Kind = k
	}
	return calls
}

// Given is the call that an answer is for. A continuation repeats it with some arguments replaced or left out
// (R-HAND-10).
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
	return []Call{{Tool: g.Tool, Arguments: arguments, Kind: Continue}}
}

// Without returns the call without these arguments.
func (g Given) Without(names ...string) Given {
	g.Arguments = g.Arguments.Without(names...)
	return g
}
