package argument

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const filterForm = `an object such as {"is_seen":false,"received_at":{"gte":"2026-01-01T00:00:00Z"}}`

var rangeOperators = []string{"gte", "gt", "lte", "lt"}

// Filter returns a typed filter (R-ARG-1), or nil if it is absent: an object of field → scalar for equality, or field
// → object of gte, gt, lte and lt for a range. Conditions keep their order, and numbers and booleans their spelling
// (R-ARG-2). Anything else is invalid_filter, with a message that shows the typed form (R-ARG-3).
//
// A relative date as a bound is invalid_time_range, with the absolute range that it means now (R-TIME-9).
func (a *Arguments) Filter(name string, clock tool.Clock) rs.Filter {
	return scalar.OrZero(optional(a, name, func(value json.RawMessage) (rs.Filter, error) {
		filter, err := parseFilter(name, value)
		if err == nil {
			return filter, refuseRelative(name, value, clock)
		}
		if slices.Contains([]string{`{}`, `[]`, `""`, `"{}"`, `"null"`}, string(value)) { // no condition
			err.Instead = []rawjson.Object{without(name)}
		} else if object, isFilter := unquotedFilter(name, value); isFilter {
			err.Instead = []rawjson.Object{{rawjson.Raw(name, object)}}
		}
		return nil, err
	}))
}

// unquotedFilter returns the typed filter that a string holds as JSON.
func unquotedFilter(name string, value json.RawMessage) (json.RawMessage, bool) {
	text, _ := rawjson.Text(value)
	object, err := rawjson.Compact([]byte(text))
	if err != nil {
		return nil, false
	}
	_, refused := parseFilter(name, object)
	return object, refused == nil
}

func parseFilter(name string, value json.RawMessage) (rs.Filter, *tool.Error) {
	object := objectArgument{name: name, code: tool.InvalidFilter, form: filterForm, key: wire.Field}
	members, err := object.members(value)
	if err != nil {
		return nil, err
	}
	var filter rs.Filter
	for _, member := range members {
		conditions, problem := conditionsOf(member)
		if problem != "" {
			return nil, object.reject(problem)
		}
		filter = append(filter, conditions...)
	}
	return filter, nil
}

// conditionsOf returns the conditions on one field, or what is wrong with them.
func conditionsOf(member rawjson.Member) (rs.Filter, string) {
	field := quote(member.Name)
	switch member.Value[0] {
	case 'n':
		return nil, fmt.Sprintf("compares %s with null, which no filter finds; leave it out: rows show the field as null, and groups by it have the key null", field)
	case '[':
		return nil, fmt.Sprintf("compares %s with an array; one value per field is compared", field)
	case '{':
		return rangeOf(member)
	}
	return rs.Filter{{Field: member.Name, Value: plainText(member.Value)}}, ""
}

func rangeOf(member rawjson.Member) (rs.Filter, string) {
	field := quote(member.Name)
	bounds, _ := rawjson.ParseObject(member.Value)
	if len(bounds) == 0 {
		return nil, fmt.Sprintf("has an empty range for %s; give it a bound of gte, gt, lte or lt", field)
	}
	var conditions rs.Filter
	for _, bound := range bounds {
		text := plainText(bound.Value)
		days := slashedDays(text)
		operand := fmt.Sprintf("compares %s.%s with %s", field, bound.Name, shown(bound.Value))
		switch {
		case !slices.Contains(rangeOperators, bound.Name):
			return nil, fmt.Sprintf("has the unknown operator %s for %s; the operators are gte, gt, lte, lt, and %s finds words in texts",
				quote(bound.Name), field, tool.HitsTool)
		case slices.ContainsFunc(conditions, func(c rs.Condition) bool { return c.Operator == bound.Name }):
			return nil, fmt.Sprintf("has the operator %s twice for %s; pass it once", bound.Name, field)
		case strings.ContainsRune("n{[", rune(bound.Value[0])):
			return nil, operand + "; a bound is a string, a number or a boolean"
		case len(days) > 1:
			return nil, fmt.Sprintf("%s, which can be %s or %s; pass one of them", operand, days[0], days[1])
		case impossibleDate(text) != "":
			return nil, operand + impossibleDate(text)
		}
		conditions = append(conditions, rs.Condition{
			Field: member.Name, Operator: bound.Name, Value: isoDay(bound.Name, text), Number: rawjson.Kind(bound.Value) == rawjson.Number,
		})
	}
	if isEmptyRange(conditions) {
		return nil, fmt.Sprintf("has an empty range for %s: its lower bound is not below its upper bound", field)
	}
	return conditions, ""
}

// plainText returns the text of a string, or the exact spelling of a number or a boolean.
func plainText(value json.RawMessage) string {
	if text, isText := rawjson.Text(value); isText {
		return text
	}
	return string(value)
}

// objectArgument describes an argument that is an object, filter or expand_limit. The object has at least one member. A
// refusal shows its form.
type objectArgument struct {
	name string
	code tool.Code
	form string // an example, after "must be"
	key  string // what a key names: a field, or a relation
}

func (k objectArgument) reject(problem string) *tool.Error {
	return refuse(k.code, k.name, problem+"; "+k.name+" must be "+k.form)
}

// members returns the members in written order, with valid and distinct keys.
func (k objectArgument) members(value json.RawMessage) ([]rawjson.Member, *tool.Error) {
	members, isObject := rawjson.ParseObject(value)
	switch {
	case !isObject:
		return nil, k.reject("is " + shown(value))
	case len(members) == 0:
		return nil, k.reject("is empty; leave it out, or name a " + k.key)
	}
	known := map[string]bool{}
	for _, member := range members {
		problem := ""
		switch key := member.Name; {
		case key == "":
			problem = "has an empty key"
		case strings.ContainsAny(key, "[]"):
			problem = fmt.Sprintf("has the key %s, and a key must not hold brackets", quote(key))
		case key == "__proto__":
			problem = `has the key "__proto__", which providers ignore` // 755p
		case strings.ContainsFunc(key, unicode.IsControl):
			problem = fmt.Sprintf("has the key %s, and a key must not hold control characters", quote(key))
		case known[key]:
			problem = fmt.Sprintf("names the %s %s twice; pass it once", k.key, quote(key))
		}
		if problem != "" {
			return nil, k.reject(problem)
		}
		known[member.Name] = true
	}
	return members, nil
}

const limitsForm = `an object of relation and count such as {"attachments":3}`

// Limits returns a limit per relation, or nil if it is absent: an object of relation → positive integer, in written
// order. Anything else is invalid_expand (R-ARG-4).
func (a *Arguments) Limits(name string) rs.Limits {
	return scalar.OrZero(optional(a, name, func(value json.RawMessage) (rs.Limits, error) {
		if text, quoted := rawjson.Text(value); quoted && json.Valid([]byte(text)) {
			value = json.RawMessage(text)
		}
		object := objectArgument{name: name, code: tool.InvalidExpand, form: limitsForm, key: "relation"}
		members, err := object.members(value)
		if err != nil {
			return nil, err
		}
		var limits rs.Limits
		var advertised rawjson.Object
		for _, member := range members {
			count, isInteger := asInteger(member.Value)
			if !isInteger || count < 1 {
				return nil, object.reject(fmt.Sprintf("has %s for %s, which takes an integer of at least 1", shown(member.Value), quote(member.Name)))
			}
			limits = append(limits, rs.Limit{Relation: member.Name, Count: count})
			advertised = append(advertised, rawjson.Int(member.Name, count))
		}
		a.normalize(name, advertised.Encode())
		return limits, nil
	}))
}
