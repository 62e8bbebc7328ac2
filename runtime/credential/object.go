package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// object is a JSON object that keeps the order and the bytes of its members, so that keys of other
// tools survive a rewrite.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

var errNotObject = errors.New("not a JSON object")

// UnmarshalJSON reads an object. Of members with the same name the last one counts, as in
// encoding/json.
func (o *object) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	opening, err := decoder.Token()
	if err != nil {
		return err
	}
	if opening != json.Delim('{') {
		return errNotObject
	}
	*o = nil
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		o.set(name.(string), value) // a name is always a string
	}
	return nil
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var encoded bytes.Buffer
	encoded.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			encoded.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		encoded.Write(name)
		encoded.WriteByte(':')
		encoded.Write(m.value)
	}
	encoded.WriteByte('}')
	return encoded.Bytes(), nil
}

// indented writes the members one a line, with a final newline.
func (o object) indented() ([]byte, error) {
	compact, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "  "); err != nil {
		return nil, err
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

// get gives the member's value; null counts as absent.
func (o object) get(name string) (json.RawMessage, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, string(m.value) != "null"
		}
	}
	return nil, false
}

// text gives a member that must be a string; an absent one is empty.
func (o object) text(name string) (string, error) {
	value, present := o.get(name)
	if !present {
		return "", nil
	}
	var decoded string
	if err := json.Unmarshal(value, &decoded); err != nil {
		return "", &memberError{name: name, want: "a string"}
	}
	return decoded, nil
}

// nested gives a member that must be an object; an absent one is empty.
func (o object) nested(name string) (object, error) {
	value, present := o.get(name)
	if !present {
		return nil, nil
	}
	var decoded object
	if err := json.Unmarshal(value, &decoded); err != nil {
		return nil, &memberError{name: name, want: "an object"}
	}
	return decoded, nil
}

func (o *object) set(name string, value json.RawMessage) {
	i := slices.IndexFunc(*o, func(m member) bool { return m.name == name })
	if i < 0 {
		*o = append(*o, member{name: name, value: value})
		return
	}
	(*o)[i].value = value
}

// setText sets a string, and removes the member when the string is empty.
func (o *object) setText(name, value string) {
	if value == "" {
		o.remove(name)
		return
	}
	encoded, err := json.Marshal(value)
	if err != nil { // cannot happen: every Go string has a JSON form
		panic(err)
	}
	o.set(name, encoded)
}

func (o *object) remove(name string) {
	*o = slices.DeleteFunc(*o, func(m member) bool { return m.name == name })
}

// memberError names a member of the wrong type. It does not repeat the value, which may be a token.
type memberError struct{ name, want string }

func (e *memberError) Error() string { return "member " + e.name + " must be " + e.want }
