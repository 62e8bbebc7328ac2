package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// object is a JSON object that keeps the order and the bytes of its members, so that keys of other
// tools survive a rewrite.
type object rawjson.Object

// deepest is how far objects and arrays of a file may stand in each other.
const deepest = 64

// None of them repeats a part of the file, which may be a token, or no credential at all.
var (
	errNotObject   = errors.New("it is not a JSON object")
	errMemberTwice = errors.New("it names a member twice")
)

// parseObject reads an object in which nothing, however deep, is named twice: of two statements a reader may take either.
func parseObject(data []byte) (object, error) {
	compact, err := rawjson.Unambiguous(bytes.Clone(data), deepest)
	if errors.Is(err, rawjson.ErrRepeatedName) {
		return nil, errMemberTwice
	}
	members, isObject := rawjson.ParseObject(compact)
	if err != nil || !isObject {
		return nil, errNotObject
	}
	return object(members), nil
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) { return rawjson.Object(o).Encode(), nil }

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
		if m.Name == name {
			return m.Value, string(m.Value) != "null"
		}
	}
	return nil, false
}

// value gives the member's value, nil for one that is absent.
func (o object) value(name string) json.RawMessage {
	value, _ := o.get(name)
	return value
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
	decoded, err := parseObject(value)
	if err != nil {
		return nil, &memberError{name: name, want: "an object"}
	}
	return decoded, nil
}

func (o *object) set(name string, value json.RawMessage) {
	i := slices.IndexFunc(*o, func(m rawjson.Member) bool { return m.Name == name })
	if i < 0 {
		*o = append(*o, rawjson.Raw(name, value))
		return
	}
	(*o)[i].Value = value
}

// setText sets a string, and removes the member when the string is empty.
func (o *object) setText(name, value string) {
	if value == "" {
		o.remove(name)
		return
	}
	o.set(name, rawjson.Quote(value))
}

func (o *object) remove(name string) {
	*o = slices.DeleteFunc(*o, func(m rawjson.Member) bool { return m.Name == name })
}

// memberError names a member of the wrong type. It does not repeat the value, which may be a token.
type memberError struct{ name, want string }

func (e *memberError) Error() string { return "member " + e.name + " must be " + e.want }
