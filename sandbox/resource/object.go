package resource

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object whose members keep their order.
type object[T any] []member[T]

type member[T any] struct {
	name  string
	value T
}

// MarshalJSON writes the members in order.
func (o object[T]) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the size of a record counts its characters as they are
	text.WriteByte('{')
	for i, member := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := encoder.Encode(member.name); err != nil {
			return nil, err
		}
		text.Truncate(text.Len() - len("\n")) // which Encode appends
		text.WriteByte(':')
		if err := encoder.Encode(member.value); err != nil {
			return nil, err
		}
		text.Truncate(text.Len() - len("\n"))
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}
