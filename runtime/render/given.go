package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Given is the call that a result answers, as it was given. What goes on from the result repeats it: a renderer
// names only the arguments that it replaces or leaves out (R-HAND-10).
type Given struct {
	Tool      string
	Arguments rawjson.Object // under their advertised names, in the caller's order and spelling
	Accepted  []string       // the names of all arguments that the tool takes
}

// With is the same call with these arguments in place of its own. A tool that does not take one of them has no
// such call.
func (g Given) With(replaced ...rawjson.Member) []Call {
	arguments := g.Arguments
	for _, member := range replaced {
		if !g.takes(member.Name) {
			return nil
		}
		arguments = arguments.With(member.Name, member.Value)
	}
	return []Call{{Tool: g.Tool, Arguments: arguments}}
}

// Without is the call without these arguments.
func (g Given) Without(names ...string) Given {
	g.Arguments = g.Arguments.Without(names...)
	return g
}

func (g Given) takes(name string) bool { return slices.Contains(g.Accepted, name) }
