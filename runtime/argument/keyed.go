package argument

import (
	"encoding/json"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
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
func (k keyed) members(value json.RawMessage) ([]rs.Member, *tool.Error) {
	members, isObject := rawjson.ParseObject(value)
	switch {
	case !isObject:
		return nil, k.reject("is " + shown(value))
	case len(members) == 0:
		return nil, k.reject("is empty; leave it out, or name a " + k.key)
	}
	return members, nil
}

const limitsForm = `an object of relation and count such as {"attachments":3}`

// Limits gives a bound per relation, or nil when it is absent: an object of relation → positive integer,
// in the order in which they were written. Anything else is refused with invalid_expand (R-ARG-4).
func (a *Arguments) Limits(name string) rs.Limits {
	return orZero(optional(a, name, func(value json.RawMessage) (rs.Limits, error) {
		object := value
		if text, quoted := rawjson.Text(value); quoted && json.Valid([]byte(text)) {
			object = json.RawMessage(text)
		}
		limits, err := parseLimits(name, object)
		if err == nil {
			a.settle(name, encodeLimits(limits))
		}
		return limits, err
	}))
}

func encodeLimits(limits rs.Limits) json.RawMessage {
	var object rawjson.Object
	for _, limit := range limits {
		object = append(object, rawjson.Int(limit.Relation, limit.Count))
	}
	return object.Encode()
}

func parseLimits(name string, value json.RawMessage) (rs.Limits, error) {
	object := keyed{name: name, code: tool.InvalidExpand, form: limitsForm, key: "relation"}
	members, err := object.members(value)
	if err != nil {
		return nil, err
	}
	var limits rs.Limits
	relations := seen{}
	for _, member := range members {
		count, isInteger := asInteger(member.Value)
		switch problem := keyProblem(member.Name); {
		case problem != "":
			return nil, object.reject(problem)
		case relations.again(member.Name):
			return nil, object.reject(fmt.Sprintf("names the relation %s twice", quote(member.Name)))
		case !isInteger || count < 1:
			return nil, object.reject(fmt.Sprintf("has %s for %s, which takes an integer of at least 1", shown(member.Value), quote(member.Name)))
		}
		limits = append(limits, rs.Limit{Relation: member.Name, Count: count})
	}
	return limits, nil
}
