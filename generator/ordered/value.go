// Package ordered writes JSON whose members stay in the order in which they were declared, without
// escaping what HTML would need escaped: the form in which the MCP SDK sends it.
package ordered

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object is a JSON object in declared order.
type Object []Member

// Member is one member of an object. Value is whatever encoding/json can write.
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

// Compact is the value without white space and without a newline at its end.
func Compact(value any) ([]byte, error) {
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(written.Bytes(), []byte("\n")), nil
}

// Indented is the value for reading and for diffs, with a newline at its end.
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
