package schema

import "github.com/pdppmcp/pdpp-mcp/generator/plan"

// Input returns the closed schema of a tool's arguments (R-SURF-9).
func Input(tool plan.Tool) Schema {
	input := Schema{Type: "object", Closed: true}
	for _, argument := range tool.Arguments {
		input.Properties = append(input.Properties, Property{Name: argument.Name, Schema: ofArgument(argument)})
		if argument.Required {
			input.Required = append(input.Required, argument.Name)
		}
	}
	return input
}

func ofArgument(argument plan.Argument) Schema {
	property := Schema{}
	switch argument.Type.Name {
	case "string":
		property = Schema{Type: "string", Enum: argument.Enum}
	case "integer":
		property = Schema{Type: "integer", Minimum: argument.Minimum, Maximum: argument.Maximum}
	case "boolean":
		property = Schema{Type: "boolean"}
	case "string_list":
		property = Schema{Type: "array", Items: &Schema{Type: "string"}}
	case "filter":
		property = filter()
	case "limits":
		property = limits()
	default:
		panic("schema: the type " + argument.Type.Name + " of the vocabulary has no schema; add it here")
	}
	property.Description = argument.Description
	return property
}

// filter returns the schema of an open map from fields to scalars or ranges (R-ARG-1). The alternatives are below the
// top level and have one type each, which every model provider accepts.
func filter() Schema {
	scalars := []Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}
	between := Schema{Type: "object", MinProperties: 1, Closed: true}
	// a range of booleans is accepted and not worth its bytes here
	for _, operator := range []string{"gte", "gt", "lte", "lt"} {
		between.Properties = append(between.Properties, Property{Name: operator, Schema: Schema{AnyOf: scalars[:2]}})
	}
	condition := Schema{AnyOf: append(scalars[:3:3], between)}
	return Schema{Type: "object", MinProperties: 1, Others: &condition}
}

// limits returns the schema of an open map from relations to integers of at least 1 (R-ARG-4).
func limits() Schema {
	least := int64(1)
	return Schema{Type: "object", MinProperties: 1, Others: &Schema{Type: "integer", Minimum: &least}}
}
