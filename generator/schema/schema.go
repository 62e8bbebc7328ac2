// Package schema writes the JSON Schemas of a tool in declared order, and checks that all model providers can read them
// (R-SURF-10).
package schema

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/generator/ordered"
	"github.com/pdppmcp/pdpp-mcp/generator/plan"
)

// Pair has both schemas of one tool that clients get.
type Pair struct {
	Input, Output Schema
}

// Of returns both schemas of a tool that clients get.
func Of(tool plan.Tool) Pair { return Pair{Input: Input(tool), Output: Output(tool.Output)} }

// Schema is the part of JSON Schema (2020-12) that the tools need. Absent members are not written. An object always has
// properties, which some providers require.
type Schema struct {
	Type          string
	Description   string
	Enum          []string
	Minimum       *int64
	Maximum       *int64
	Items         *Schema
	Properties    []Property // of an object, in the order in which a model reads them
	Required      []string
	MinProperties int
	Closed        bool    // no other properties
	Others        *Schema // schema of other properties; nil if not restricted
	AnyOf         []Schema
}

// Property is one property of an object.
type Property struct {
	Name   string
	Schema Schema
}

// MarshalJSON writes the members in a fixed order.
func (s Schema) MarshalJSON() ([]byte, error) {
	var members ordered.Object
	add := func(name string, value any, present bool) {
		if present {
			members = append(members, ordered.Member{Name: name, Value: value})
		}
	}
	add("type", s.Type, s.Type != "")
	add("description", s.Description, s.Description != "")
	add("enum", s.Enum, s.Enum != nil)
	add("minimum", s.Minimum, s.Minimum != nil)
	add("maximum", s.Maximum, s.Maximum != nil)
	add("items", s.Items, s.Items != nil)
	add("properties", properties(s.Properties), s.Type == "object")
	add("required", s.Required, s.Required != nil)
	add("minProperties", s.MinProperties, s.MinProperties > 0)
	add("additionalProperties", false, s.Closed)
	add("additionalProperties", s.Others, s.Others != nil)
	add("anyOf", s.AnyOf, s.AnyOf != nil)
	return members.MarshalJSON()
}

func properties(declared []Property) json.Marshaler {
	object := ordered.Object{}
	for _, property := range declared {
		object = append(object, ordered.Member{Name: property.Name, Value: property.Schema})
	}
	return object
}
