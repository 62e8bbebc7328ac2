package resource

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// rangeOperators are the operators that filter[field][operator] knows.
var rangeOperators = []string{"gte", "gt", "lte", "lt"}

// conditions returns the filters of a request, checked against what the source declares and grants.
func (c *call) conditions(source source) ([]store.Condition, error) {
	if _, bare := c.parameters.first("filter"); bare {
		return nil, invalidRequest("filter must use filter[field]=value or filter[field][op]=value")
	}
	var names []string
	filters := map[string]parameters{}
	for _, parameter := range c.parameters.bracketed("filter") {
		name := parameter.keys[0]
		switch name {
		case "":
			name = "0" // real servers read filter[] as a list
		case "__proto__":
			continue // which they lose
		}
		if filters[name] == nil {
			names = append(names, name)
		}
		filters[name] = append(filters[name], parameter)
	}
	var conditions []store.Condition
	for _, name := range names {
		field, err := source.filtered(name)
		if err != nil {
			return nil, err
		}
		ofField, err := fieldConditions(field, filters[name])
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, ofField...)
	}
	return conditions, nil
}

// filtered returns the named field if filters may use it.
func (s source) filtered(name string) (catalog.Field, error) {
	field, declared := s.field(name)
	if !declared {
		return field, invalid("unknown_field", "Unknown field: %s", name)
	}
	return field, s.checkGranted([]string{name})
}

// fieldConditions returns the filters of one field: an exact one, or ranges with each operator at most once.
func fieldConditions(field catalog.Field, filters parameters) ([]store.Condition, error) {
	exact := func(p parameter) bool { return len(p.keys) == 1 }
	if slices.ContainsFunc(filters, exact) ||
		slices.ContainsFunc(filters, func(p parameter) bool { return p.keys[1] == "" }) {
		switch {
		case field.Type == "array" || field.Type == "object" || strings.Contains(field.Type, "|"):
			return nil, invalidRequest("Exact filters are supported only on top-level scalar fields; '%s' is not scalar",
				field.Name)
		case len(filters) > 1 || !exact(filters[0]):
			return nil, invalidRequest("Exact filter on '%s' must use a scalar value", field.Name)
		case !field.Exact:
			return nil, invalidRequest("Exact filters are not supported on '%s'", field.Name)
		}
		return []store.Condition{{Field: field, Operator: "eq", Operand: filters[0].value}}, nil
	}
	operands := map[string][]string{}
	for _, filter := range filters {
		if err := checkRange(field, filter.keys[1]); err != nil {
			return nil, err
		}
		operands[filter.keys[1]] = append(operands[filter.keys[1]], filter.value)
	}
	var conditions []store.Condition
	for _, operator := range rangeOperators {
		if operands[operator] == nil {
			continue
		}
		operand, err := operand(field, strings.Join(operands[operator], ","))
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, store.Condition{Field: field, Operator: operator, Operand: operand})
	}
	return conditions, nil
}

func checkRange(field catalog.Field, operator string) error {
	comparable := field.Type == "integer" || field.Type == "number" || field.Format != ""
	switch {
	case !comparable:
		return invalidRequest("Range filters are not supported on '%s'", field.Name)
	case len(field.Range) == 0:
		return invalidRequest("Range filters are not declared for '%s'", field.Name)
	case !slices.Contains(rangeOperators, operator):
		return invalidRequest("Unsupported range operator '%s' on '%s'", operator, field.Name)
	case !slices.Contains(field.Range, operator):
		return invalidRequest("Range operator '%s' is not declared for '%s'", operator, field.Name)
	}
	return nil
}

var digits = regexp.MustCompile(`^-?\d+$`)

// operand parses a range filter's value by the field's type: integers as digits, numbers as JavaScript parses them.
func operand(field catalog.Field, text string) (any, error) {
	switch field.Type {
	case "integer":
		if value, err := strconv.ParseInt(text, 10, 64); err == nil && digits.MatchString(text) {
			return value, nil
		}
		return nil, invalidRequest("Invalid integer value for '%s'", text)
	case "number":
		trimmed := strings.TrimSpace(text)
		if value, err := strconv.ParseInt(trimmed, 0, 64); err == nil && strings.HasPrefix(trimmed, "0x") {
			return float64(value), nil
		}
		if value, err := strconv.ParseFloat(trimmed, 64); err == nil && !math.IsInf(value, 0) && !math.IsNaN(value) {
			return value, nil
		}
		return nil, invalidRequest("Invalid number value for '%s'", text)
	}
	value, err := store.ParseInstant(text)
	if err != nil {
		return nil, invalidRequest("Invalid date value for '%s'", text)
	}
	return value, nil
}
