package schema

import (
	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// Input returns the closed schema of a tool's arguments (R-SURF-9).
func Input(tool toolspec.Tool) Schema {
	input := Schema{Type: "object", Properties: ordered.Object{}, Others: false}
	for _, argument := range tool.Arguments {
		input.Properties = append(input.Properties, ordered.Member{Name: argument.Name, Value: ofArgument(argument)})
		if argument.Required {
			input.Required = append(input.Required, argument.Name)
		}
	}
	return input
}

func ofArgument(argument toolspec.Argument) Schema {
	property := Schema{Type: argument.Type}
	switch argument.Type {
	case "string":
		property.Enum = argument.Enum
	case "integer":
		property.Minimum, property.Maximum = argument.Minimum, argument.Maximum
	case "boolean":
	case "string_list":
		property = arrayOf(Schema{Type: "string"})
	case "filter":
		property = filter()
	case "limits":
		property = limits()
	default:
		panic("schema: the type " + argument.Type + " of the vocabulary has no schema; add it here")
	}
	property.Description = argument.Description
	return property
}

// filter returns the schema of an open map from fields to scalars or ranges (R-ARG-1). The alternatives are below the
// top level and have one type each, which every model provider accepts.
func filter() Schema {
	scalars := []Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}
	between := Schema{Type: "object", MinProperties: 1, Others: false}
	// a range of booleans is accepted and not worth its bytes here
	for _, operator := range []string{"gte", "gt", "lte", "lt"} {
		between.Properties = append(between.Properties, ordered.Member{Name: operator, Value: Schema{AnyOf: scalars[:2]}})
	}
	condition := Schema{AnyOf: append(scalars[:3:3], between)}
	return openMap(condition)
}

// limits returns the schema of an open map from relations to integers of at least 1 (R-ARG-4).
func limits() Schema {
	least := int64(1)
	return openMap(Schema{Type: "integer", Minimum: &least})
}

func openMap(values Schema) Schema {
	return Schema{Type: "object", Properties: ordered.Object{}, MinProperties: 1, Others: values}
}
