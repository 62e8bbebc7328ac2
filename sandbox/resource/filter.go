package resource

import (
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// rangeOperators are the operators that filter[field][operator] knows.
var rangeOperators = []string{"gte", "gt", "lte", "lt"}

// conditions are the filters of a request, checked against what the source declares and grants.
func (c *call) conditions(source source) ([]store.Condition, error) {
	if _, bare := c.parameters.first("filter"); bare {
		return nil, invalidRequest("filter must be filter[field]=value or filter[field][operator]=value").of("filter")
	}
	var conditions []store.Condition
	for _, parameter := range c.parameters.bracketed("filter") {
		condition, err := parameter.condition(source)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, condition)
	}
	return conditions, nil
}

func (p parameter) condition(source source) (store.Condition, error) {
	if len(p.keys) > 2 {
		return store.Condition{}, invalidRequest("%s must be filter[field]=value or filter[field][operator]=value", p.name).of("filter")
	}
	field, declared := source.field(p.keys[0])
	if !declared {
		return store.Condition{}, invalid("unknown_field", "Unknown field: %s", p.keys[0])
	}
	if err := source.checkGranted([]string{field.Name}); err != nil {
		return store.Condition{}, err
	}
	operator := "eq"
	if len(p.keys) == 2 {
		operator = p.keys[1]
		if err := checkRange(field, operator); err != nil {
			return store.Condition{}, err
		}
	} else if err := checkExact(field); err != nil {
		return store.Condition{}, err
	}
	operand, err := operand(field, p.value)
	if err != nil {
		return store.Condition{}, err
	}
	return store.Condition{Field: field, Operator: operator, Operand: operand}, nil
}

func checkExact(field catalog.Field) error {
	if field.Type == "array" || field.Type == "object" {
		return invalidRequest("Exact filters are supported only on top-level scalar fields; '%s' is not scalar", field.Name)
	}
	if !field.Exact {
		return invalidRequest("Exact filters are not supported on '%s'", field.Name)
	}
	return nil
}

func checkRange(field catalog.Field, operator string) error {
	if len(field.Range) == 0 {
		return invalidRequest("Range filters are not supported on '%s'", field.Name)
	}
	if !slices.Contains(rangeOperators, operator) || !slices.Contains(field.Range, operator) {
		return invalidRequest("Unsupported range operator '%s' on '%s'", operator, field.Name)
	}
	return nil
}

// operand reads a filter's value as the field's type wants it.
func operand(field catalog.Field, text string) (any, error) {
	var value any = text
	var err error
	kind := field.Type
	switch {
	case field.Type == "integer":
		value, err = strconv.ParseInt(text, 10, 64)
	case field.Type == "number":
		value, err = strconv.ParseFloat(text, 64)
	case field.Type == "boolean":
		if text != "true" && text != "false" {
			err = strconv.ErrSyntax
		}
		value = text == "true"
	case field.Format == "date-time":
		kind = "date-time"
		value, err = store.ParseInstant(text)
	}
	if err != nil {
		return nil, invalidRequest("Invalid %s value for '%s'", kind, text)
	}
	return value, nil
}
