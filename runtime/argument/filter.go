package argument

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	filterForm = `an object such as {"is_seen":false,"received_at":{"gte":"2026-01-01T00:00:00Z"}}`
	rangeForm  = `{"gte":"2026-01-01T00:00:00Z"}`
)

var rangeOperators = []string{"gte", "gt", "lte", "lt"}

// Filter gives a typed filter (R-ARG-1), or nil when it is absent: an object of field → scalar for
// equality, or field → object of gte, gt, lte, lt for a range. Conditions keep their order, and
// numbers and booleans their spelling (R-ARG-2). Anything else is refused with invalid_filter and a
// message that shows the typed form (R-ARG-3).
func (a *Arguments) Filter(name string) rs.Filter {
	return orZero(optional(a, name, func(value json.RawMessage) (rs.Filter, error) {
		filter, err := parseFilter(name, value)
		if err == nil {
			return filter, nil
		}
		mended := mend(value)
		switch {
		case slices.Contains([]string{`{}`, `[]`, `""`, `"{}"`, `"null"`}, string(value)): // no condition
			err.Instead = []rawjson.Object{{{Name: name}}}
		case mended != nil && isFilter(name, mended):
			err.Instead = []rawjson.Object{{rawjson.Raw(name, mended)}}
		}
		return nil, err
	}))
}

func parseFilter(name string, value json.RawMessage) (rs.Filter, *tool.Error) {
	object := keyed{name: name, code: tool.InvalidFilter, form: filterForm, key: "field"}
	members, err := object.members(value)
	if err != nil {
		return nil, err
	}
	var filter rs.Filter
	fields := seen{}
	for _, member := range members {
		if problem := fieldProblem(member.Name); problem != "" {
			return nil, object.reject(problem)
		}
		if fields.again(member.Name) {
			return nil, object.reject(fmt.Sprintf("names the field %s twice; give a range its bounds in one object", quote(member.Name)))
		}
		conditions, problem := conditionsOf(member)
		if problem != "" {
			return nil, object.reject(problem)
		}
		filter = append(filter, conditions...)
	}
	return filter, nil
}

func isFilter(name string, value json.RawMessage) bool {
	_, err := parseFilter(name, value)
	return err == nil
}

// fieldProblem says what is wrong with a field name, or nothing.
func fieldProblem(field string) string {
	problem := keyProblem(field)
	if strings.ContainsAny(field, "[]") {
		problem += "; write a range as {" + quote(field[:strings.IndexAny(field, "[]")]) + ":" + rangeForm + "}"
	}
	if parts := suffixed.FindStringSubmatch(field); parts != nil {
		problem += fmt.Sprintf("has the key %s; write a range as {%s:%s}", quote(field), quote(parts[1]), rangeForm)
	}
	return problem
}

// keyProblem says what keeps a key from standing between the brackets of a parameter's name.
func keyProblem(key string) string {
	switch {
	case key == "":
		return "has an empty key"
	case strings.ContainsAny(key, "[]"):
		return fmt.Sprintf("has the key %s, and a key must not hold brackets", quote(key))
	case key == "__proto__":
		return `has the key "__proto__", which providers ignore` // 755p
	case strings.ContainsFunc(key, unicode.IsControl):
		return fmt.Sprintf("has the key %s, and a key must not hold control characters", quote(key))
	}
	return ""
}

// conditionsOf gives the conditions on one field, or says what is wrong with them.
func conditionsOf(member rs.Member) (rs.Filter, string) {
	field := quote(member.Name)
	switch member.Value[0] {
	case 'n':
		return nil, fmt.Sprintf("compares %s with null, which no filter finds; leave it out: rows show the field as null, and groups by it have the key null", field)
	case '[':
		return nil, fmt.Sprintf("compares %s with an array; one value per field is compared", field)
	case '{':
		return rangeOf(member)
	}
	return rs.Filter{{Field: member.Name, Value: scalar(member.Value)}}, ""
}

func rangeOf(member rs.Member) (rs.Filter, string) {
	field := quote(member.Name)
	bounds, _ := rawjson.ParseObject(member.Value) // which it is
	if len(bounds) == 0 {
		return nil, fmt.Sprintf("has an empty range for %s; give it a bound of gte, gt, lte or lt", field)
	}
	var conditions rs.Filter
	operators := seen{}
	for _, bound := range bounds {
		switch {
		case !slices.Contains(rangeOperators, bound.Name):
			return nil, fmt.Sprintf("has the unknown operator %s for %s; the operators are gte, gt, lte, lt%s", quote(bound.Name), field, insteadOf(bound))
		case operators.again(bound.Name):
			return nil, fmt.Sprintf("has the operator %s twice for %s; give it once", bound.Name, field)
		}
		switch bound.Value[0] {
		case 'n', '{', '[':
			return nil, fmt.Sprintf("compares %s.%s with %s; a bound is a string, a number or a boolean", field, bound.Name, shown(bound.Value))
		}
		text := scalar(bound.Value)
		if relativeDate(text) != "" {
			return nil, fmt.Sprintf("compares %s.%s with %s, which is no date; pass one such as 2026-01-31", field, bound.Name, shown(bound.Value))
		}
		if days := slashedDays(text); len(days) > 1 {
			return nil, fmt.Sprintf("compares %s.%s with %s, which is %s or %s; pass the one that is meant", field, bound.Name, shown(bound.Value), days[0], days[1])
		}
		conditions = append(conditions, rs.Condition{Field: member.Name, Operator: bound.Name, Value: isoDate(bound.Name, text)})
	}
	return conditions, ""
}

// insteadOf names what finds the rows that an operator of another system would find, after a semicolon. It is empty for an unknown
// operator.
func insteadOf(bound rawjson.Member) string {
	switch strings.TrimLeft(strings.ToLower(bound.Name), "$_") {
	case "in", "any", "oneof", "one_of":
		return "; for one of several values, make one call for each value"
	case "ne", "neq", "not", "!=", "<>", "nin", "not_in":
		return "; for all values but one, use the ranges below (lt) and above it (gt) in two calls, or read all rows and leave it out"
	case "contains", "like", "ilike", "icontains", "regex", "match", "startswith", "endswith", "starts_with", "ends_with":
		if text, isText := rawjson.Text(bound.Value); isText {
			return fmt.Sprintf("; to find words in a text, call %s with %s %s", tool.HitsTool, tool.HitsWords, quote(strings.Trim(text, "%*.^$")))
		}
		return fmt.Sprintf("; to find words in a text, call %s", tool.HitsTool)
	}
	return ""
}

// scalar is a string's text, or the exact spelling of a number or a boolean.
func scalar(value json.RawMessage) string {
	if text, isText := rawjson.Text(value); isText {
		return text
	}
	return string(value)
}
