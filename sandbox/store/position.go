package store

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// Position is a place in the order of a stream: the value of its cursor field, made comparable as text,
// and the record's key for records that share the value.
type Position struct {
	Value string
	Key   string
}

// positionValue makes a value of the cursor field comparable as text. A record without one sorts as the
// empty text. Numbers are compared as float64.
func positionValue(field catalog.Field, raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if field.Format == "date-time" || field.Format == "date" {
			if t, err := ParseInstant(text); err == nil {
				return instantText(t)
			}
		}
		return text
	}
	var number float64
	if string(raw) != "null" && json.Unmarshal(raw, &number) == nil {
		return sortableNumber(number)
	}
	return ""
}

// sortableNumber writes a number as 16 hexadecimal digits whose order is the order of the numbers:
// IEEE 754 bits sort like the number itself once the sign bit is flipped, or all bits of a negative one.
func sortableNumber(number float64) string {
	bits := math.Float64bits(number)
	if bits>>63 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return fmt.Sprintf("%016x", bits)
}

// consentTime is the stored form of the time that a grant's range is compared with, or nil.
func consentTime(stream catalog.Stream, data map[string]json.RawMessage) any {
	var text string
	if json.Unmarshal(data[stream.ConsentTimeField], &text) != nil {
		return nil
	}
	t, err := ParseInstant(text)
	if err != nil {
		return nil
	}
	return instantText(t)
}

// fieldNamed is the declaration of a field, or a bare one when it is not declared.
func fieldNamed(stream catalog.Stream, name string) catalog.Field {
	for _, field := range stream.Fields {
		if field.Name == name {
			return field
		}
	}
	return catalog.Field{Name: name}
}
