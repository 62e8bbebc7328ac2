package tool

import (
	"bytes"
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// object is a JSON object in the making, its members in the order in which they were set.
type object []rs.Member

// raw sets a member, in its old place when it was there before. Nothing is not set.
func (o *object) raw(name string, value json.RawMessage) {
	if len(value) == 0 {
		return
	}
	for i := range *o {
		if (*o)[i].Name == name {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, rs.Member{Name: name, Value: value})
}

func (o *object) text(name, value string) {
	if value != "" {
		o.raw(name, encode(value))
	}
}

func (o *object) texts(name string, values []string) {
	if len(values) > 0 {
		o.raw(name, encode(values))
	}
}

func (o *object) integer(name string, value int) {
	if value != 0 {
		o.raw(name, encode(value))
	}
}

// has tells whether a member is there with a value other than null.
func (o object) has(name string) bool {
	value := o.value(name)
	return len(value) > 0 && string(value) != "null"
}

func (o object) isText(name string) bool {
	value := o.value(name)
	return len(value) > 0 && value[0] == '"'
}

func (o object) value(name string) json.RawMessage {
	for _, member := range o {
		if member.Name == name {
			return member.Value
		}
	}
	return nil
}

func (o object) encode() json.RawMessage {
	var encoded bytes.Buffer
	encoded.WriteByte('{')
	for i, member := range o {
		if i > 0 {
			encoded.WriteByte(',')
		}
		encoded.Write(encode(member.Name))
		encoded.WriteByte(':')
		// Compact also keeps a value with line breaks from spreading over a text.
		if err := json.Compact(&encoded, member.Value); err != nil {
			encoded.WriteString("null")
		}
	}
	encoded.WriteByte('}')
	return encoded.Bytes()
}

// array writes a JSON array of values.
func array(values []json.RawMessage) json.RawMessage {
	var encoded bytes.Buffer
	encoded.WriteByte('[')
	for i, value := range values {
		if i > 0 {
			encoded.WriteByte(',')
		}
		encoded.Write(value)
	}
	encoded.WriteByte(']')
	return encoded.Bytes()
}

// encode writes JSON without HTML escapes, so that < and & reach a model as they are.
func encode[T string | []string | int | bool](value T) json.RawMessage {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("tool: strings and integers always encode: " + err.Error())
	}
	return bytes.TrimRight(encoded.Bytes(), "\n")
}
