// Package schema writes the JSON Schemas of a tool in declared order, and checks that all model providers can read them
// (R-SURF-10).
package schema

import "github.com/pdppmcp/pdpp-mcp/generator/ordered"

// Schema is the part of JSON Schema (2020-12) that the tools need, in the order in which its members are written. An
// object always has properties, which some providers require.
type Schema struct {
	Type          string         `json:"type,omitzero"`
	Description   string         `json:"description,omitzero"`
	Enum          []string       `json:"enum,omitzero"`
	Minimum       *int64         `json:"minimum,omitzero"`
	Maximum       *int64         `json:"maximum,omitzero"`
	Items         *Schema        `json:"items,omitzero"`
	Properties    ordered.Object `json:"properties,omitzero"` // in the order in which a model reads them
	Required      []string       `json:"required,omitzero"`
	MinProperties int            `json:"minProperties,omitzero"`
	Others        any            `json:"additionalProperties,omitzero"` // a Schema, or false
	AnyOf         []Schema       `json:"anyOf,omitzero"`
}
