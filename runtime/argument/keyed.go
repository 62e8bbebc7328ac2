package argument

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// keyed is what the object arguments filter and expand_limit have in common: they are objects with at
// least one member, and a refusal shows the form they should have had.
type keyed struct {
	name string
	code tool.Code
	form string // an example of the argument, as it follows "must be"
	key  string // what a key names: a field, or a relation
}

func (k keyed) reject(problem string) *tool.Error {
	return refuse(k.code, k.name, problem+"; "+k.name+" must be "+k.form)
}

// members gives the members in written order. Keys and values are the caller's to judge.
func (k keyed) members(value json.RawMessage) ([]rs.Member, error) {
	if value[0] != '{' {
		return nil, k.reject("is " + shown(value))
	}
	members, err := rs.Members(value)
	if err != nil {
		rejected := k.reject("cannot be read")
		rejected.Cause = err
		return nil, rejected
	}
	if len(members) == 0 {
		return nil, k.reject("is empty; leave it out, or name a " + k.key)
	}
	return members, nil
}
