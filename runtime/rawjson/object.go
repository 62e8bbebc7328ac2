// Package rawjson checks, reads and writes JSON whose values stay the bytes that were received. Records are never decoded: a
// member's value keeps its spelling, and members keep their order.
//
// Check, Compact, Unambiguous and ReadObject accept any bytes and check them with package jsontext. Everything else expects a
// checked value: on other bytes its result is undefined, but it does not panic. A value shares memory with the value that it
// was taken from.
package rawjson

import (
	"encoding/json"
	"slices"
	"strconv"
)

// Object is the members of a JSON object in the order of the document.
type Object []Member

// Member is one member of an object. Value is valid JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// String is a member whose value is a JSON string.
func String(name, value string) Member { return Member{Name: name, Value: Quote(value)} }

// Int is a member whose value is an integer.
func Int(name string, value int64) Member {
	return Member{Name: name, Value: strconv.AppendInt(nil, value, 10)}
}

// Bool is a member whose value is true or false.
func Bool(name string, value bool) Member {
	return Member{Name: name, Value: strconv.AppendBool(nil, value)}
}

// Raw is a member whose value is already JSON.
func Raw(name string, value json.RawMessage) Member { return Member{Name: name, Value: value} }

// Strings is a member whose value is an array of JSON strings.
func Strings(name string, values []string) Member {
	size := len("[]")
	for _, value := range values {
		size += len(value) + len(`"",`)
	}
	out := append(make([]byte, 0, size), '[')
	for i, value := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = AppendQuote(out, value)
	}
	return Member{Name: name, Value: append(out, ']')}
}

// Get is the value of the first member of that name, or nil when there is none or it is null.
func (o Object) Get(name string) json.RawMessage {
	for _, member := range o {
		if member.Name == name {
			if Kind(member.Value) == Null {
				return nil
			}
			return member.Value
		}
	}
	return nil
}

// Text is the value of a string member, or empty when there is no such string.
func (o Object) Text(name string) string { return TextOf(o.Get(name)) }

// FirstText is the first of the named members that is a string and not empty.
func (o Object) FirstText(names ...string) string {
	for _, name := range names {
		if text := o.Text(name); text != "" {
			return text
		}
	}
	return ""
}

// True says that a member is the literal true.
func (o Object) True(name string) bool { return string(o.Get(name)) == "true" }

// Int is the value of a member that is a JSON integer within int64.
func (o Object) Int(name string) (int64, bool) {
	number, err := strconv.ParseInt(string(o.Get(name)), 10, 64)
	return number, err == nil
}

// Names are the names of the members in their order.
func (o Object) Names() []string {
	names := make([]string, len(o))
	for i, member := range o {
		names[i] = member.Name
	}
	return names
}

// With replaces the value of a member in a copy, in its place, or appends the member. Inlined into its many callers it was 60 kB.
//
//go:noinline
func (o Object) With(name string, value json.RawMessage) Object {
	changed := make(Object, len(o), len(o)+1)
	copy(changed, o)
	for i := range changed {
		if changed[i].Name == name {
			changed[i].Value = value
			return changed
		}
	}
	return append(changed, Member{Name: name, Value: value})
}

// Without is a copy that lacks the named members.
func (o Object) Without(names ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(member Member) bool { return slices.Contains(names, member.Name) })
}

// Encode writes the object without whitespace.
func (o Object) Encode() json.RawMessage {
	return o.Append(make([]byte, 0, o.Size()))
}

// Size is about how many bytes Encode writes; names with escapes take more.
func (o Object) Size() int {
	size := 2
	for _, member := range o {
		size += len(member.Name) + len(member.Value) + len(`"":,`)
	}
	return size
}

// Append appends what Encode writes.
func (o Object) Append(out []byte) []byte {
	out = append(out, '{')
	for i, member := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = member.Append(out)
	}
	return append(out, '}')
}

// Append appends the member as it stands in an object.
func (m Member) Append(out []byte) []byte {
	out = append(AppendQuote(out, m.Name), ':')
	return append(out, m.Value...)
}

// Array writes an array of values without whitespace between them. Inlined into its many callers it was 30 kB.
//
//go:noinline
func Array(elements []json.RawMessage) json.RawMessage {
	size := len("[]")
	for _, element := range elements {
		size += len(element) + len(",")
	}
	out := append(make([]byte, 0, size), '[')
	for i, element := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, element...)
	}
	return append(out, ']')
}
