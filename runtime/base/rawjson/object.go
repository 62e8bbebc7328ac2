// Package rawjson checks, reads and writes JSON whose values stay the bytes that were received. Records are never
// decoded: a member's value keeps its spelling, and members keep their order.
//
// Check, Compact, Unambiguous and ReadObject accept any bytes and check them with package jsontext. Everything else
// expects a checked value: on other bytes its result is undefined, but it does not panic. A value shares memory with
// the value that it was taken from.
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

// String returns a member whose value is a JSON string.
func String(name, value string) Member { return Member{Name: name, Value: Quote(value)} }

// Int returns a member whose value is an integer.
func Int(name string, value int64) Member {
	return Member{Name: name, Value: strconv.AppendInt(nil, value, 10)}
}

// Bool returns a member whose value is true or false.
func Bool(name string, value bool) Member {
	return Member{Name: name, Value: strconv.AppendBool(nil, value)}
}

// Raw returns a member whose value is already JSON.
func Raw(name string, value json.RawMessage) Member { return Member{Name: name, Value: value} }

// Strings returns a member whose value is an array of JSON strings.
func Strings(name string, values []string) Member {
	elements := make([]json.RawMessage, len(values))
	for i, value := range values {
		elements[i] = Quote(value)
	}
	return Member{Name: name, Value: Array(elements)}
}

// Texts returns string members. Its arguments are names and texts in turn. It skips empty texts.
func Texts(namesAndTexts ...string) Object {
	var object Object
	for i := 1; i < len(namesAndTexts); i += 2 {
		if namesAndTexts[i] != "" {
			object = append(object, String(namesAndTexts[i-1], namesAndTexts[i]))
		}
	}
	return object
}

// Get returns the value of the first member of that name, or nil if it is missing or null.
func (o Object) Get(name string) json.RawMessage {
	for i := range o { // without a copy of each member
		if o[i].Name == name {
			if Kind(o[i].Value) == Null {
				return nil
			}
			return o[i].Value
		}
	}
	return nil
}

// Text returns the text of a string member, or "".
func (o Object) Text(name string) string { return TextOf(o.Get(name)) }

// FirstText returns the first text that is not empty among the named members, or "".
func (o Object) FirstText(names ...string) string {
	for _, name := range names {
		if text := o.Text(name); text != "" {
			return text
		}
	}
	return ""
}

// True reports whether a member is true.
func (o Object) True(name string) bool { return string(o.Get(name)) == "true" }

// Int returns the value of a member that is an integer within int64.
func (o Object) Int(name string) (int64, bool) {
	value := o.Get(name)
	if value == nil { // an error of ParseInt takes memory
		return 0, false
	}
	number, err := strconv.ParseInt(string(value), 10, 64)
	return number, err == nil
}

// Names returns the names of the members in their order.
func (o Object) Names() []string {
	names := make([]string, len(o))
	for i, member := range o {
		names[i] = member.Name
	}
	return names
}

// With returns a copy in which a member has another value, or is appended. Inlined into its many callers it would add
// 60 kB.
//
//go:noinline
func (o Object) With(name string, value json.RawMessage) Object {
	changed := slices.Clone(o)
	for i := range changed {
		if changed[i].Name == name {
			changed[i].Value = value
			return changed
		}
	}
	return append(changed, Member{Name: name, Value: value})
}

// WithAll is With for several members.
func (o Object) WithAll(members ...Member) Object {
	for _, member := range members {
		o = o.With(member.Name, member.Value)
	}
	return o
}

// Without returns a copy without the named members.
func (o Object) Without(names ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(member Member) bool { return slices.Contains(names, member.Name) })
}

// Encode returns the object without whitespace.
func (o Object) Encode() json.RawMessage {
	return o.Append(make([]byte, 0, o.Size()))
}

// Size returns the approximate length of Encode: names with escapes are longer.
func (o Object) Size() int {
	size := 2
	for _, member := range o {
		size += len(member.Name) + len(member.Value) + len(`"":,`)
	}
	return size
}

// Append appends the object as Encode returns it.
func (o Object) Append(out []byte) []byte {
	return append(o.AppendMembers(append(out, '{')), '}')
}

// AppendMembers appends the members to an object that is not closed yet.
func (o Object) AppendMembers(out []byte) []byte {
	for _, member := range o {
		out = append(AppendName(out, member.Name), member.Value...)
	}
	return out
}

// AppendName appends the name of a member to an object that is not closed yet. The caller appends the value.
func AppendName(out []byte, name string) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	return append(AppendQuote(out, name), ':')
}

// Array returns an array of values without whitespace between them. Inlined into its many callers it would add 30 kB.
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
