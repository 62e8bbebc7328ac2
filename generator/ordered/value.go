// Package ordered writes JSON with members in declared order and without HTML escapes, as the MCP SDK sends it.
package ordered

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object in declared order.
type Object []Member

// Member is one member of an object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSONTo writes the members in their order.
func (o Object) MarshalJSONTo(encoder *jsontext.Encoder) error {
	err := encoder.WriteToken(jsontext.BeginObject)
	for _, member := range o {
		err = errors.Join(err, encoder.WriteToken(jsontext.String(member.Name)), json.MarshalEncode(encoder, member.Value))
	}
	return errors.Join(err, encoder.WriteToken(jsontext.EndObject))
}

// Compact returns the value as JSON without white space. It panics on a value that JSON cannot hold.
func Compact(value any) []byte { return written(value) }

// Indented returns the value as indented JSON with a newline at its end. It panics like Compact.
func Indented(value any) []byte { return append(written(value, jsontext.WithIndent("  ")), '\n') }

func written(value any, options ...json.Options) []byte {
	text, err := json.Marshal(value, options...)
	if err != nil {
		panic(fmt.Errorf("write JSON: %w", err))
	}
	return text
}
