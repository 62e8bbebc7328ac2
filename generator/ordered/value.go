// Package ordered writes JSON with members in declared order and without HTML escapes, as the MCP SDK sends it.
package ordered

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object is a JSON object in declared order.
type Object []Member

// Member is one member of an object. Value is any value that encoding/json can write.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var written bytes.Buffer
	written.WriteByte('{')
	for i, member := range o {
		if i > 0 {
			written.WriteByte(',')
		}
		name, err := Compact(member.Name)
		if err != nil {
			return nil, err
		}
		value, err := Compact(member.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", member.Name, err)
		}
		written.Write(name)
		written.WriteByte(':')
		written.Write(value)
	}
	written.WriteByte('}')
	return written.Bytes(), nil
}

// Compact returns the value as JSON without white space and without a newline at its end.
func Compact(value any) ([]byte, error) {
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(written.Bytes(), []byte("\n")), nil
}

// Indented returns the value as indented JSON with a newline at its end.
func Indented(value any) ([]byte, error) {
	compact, err := Compact(value)
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	if err := json.Indent(&written, compact, "", "  "); err != nil {
		return nil, fmt.Errorf("indent JSON: %w", err)
	}
	written.WriteByte('\n')
	return written.Bytes(), nil
}
