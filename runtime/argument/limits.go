package argument

import (
	"encoding/json"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const limitsForm = `an object of relation and count such as {"attachments":3}`

// Limits gives a bound per relation, or nil when it is absent: an object of relation → positive integer,
// in the order in which they were written. Anything else is refused with invalid_expand (R-ARG-4).
func (a *Arguments) Limits(name string) rs.Limits {
	value := a.take(name)
	if value == nil {
		return nil
	}
	limits, err := parseLimits(name, value)
	if err != nil {
		a.fail(err)
		return nil
	}
	return limits
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
		count, isInteger := exactInteger(string(member.Value))
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
