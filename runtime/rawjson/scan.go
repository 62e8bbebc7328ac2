package rawjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// ErrInvalid says that bytes are not JSON in UTF-8.
var ErrInvalid = errors.New("not JSON in UTF-8")

// ValueKind is the kind of a JSON value, told by its first byte.
type ValueKind int

// The kinds of values. None is the absence of a value.
const (
	None ValueKind = iota
	Null
	Boolean
	Number
	StringValue
	ArrayValue
	ObjectValue
)

// Kind is the kind of a value.
func Kind(value json.RawMessage) ValueKind {
	at := space(value, 0)
	if at >= len(value) {
		return None
	}
	switch value[at] {
	case 'n':
		return Null
	case 't', 'f':
		return Boolean
	case '"':
		return StringValue
	case '[':
		return ArrayValue
	case '{':
		return ObjectValue
	}
	return Number
}

// Compact checks a document and takes the whitespace between its tokens away. Its strings and
// numbers keep their spelling. A document without such whitespace, as servers send it, is given as it is
// and not copied. It nests at most 10,000 deep. Its error is ErrInvalid.
func Compact(document []byte) (json.RawMessage, error) {
	compacted, err := compact(document, checker{text: document, depthMost: nestingMost})
	if err != nil {
		return nil, ErrInvalid
	}
	return compacted, nil
}

// compact is Compact with a checker of its own. Its error is ErrInvalid or the checker's fault.
func compact(document []byte, c checker) (json.RawMessage, error) {
	switch {
	case !utf8.Valid(document):
		return nil, ErrInvalid
	case !c.document():
		return nil, cmp.Or(c.fault, ErrInvalid)
	}
	if c.spaces == 0 {
		return document[:len(document):len(document)], nil
	}
	out := make([]byte, 0, len(document)-c.spaces)
	for at := 0; at < len(document); {
		start := space(document, at)
		at = start
		for at < len(document) && !isSpace[document[at]] {
			if document[at] == '"' {
				at = skipString(document, at)
			} else {
				at++
			}
		}
		out = append(out, document[start:at]...)
	}
	return out, nil
}

// Valid tells whether a document is one JSON value (RFC 8259) that nests at most 10,000 deep. It does not look at whether strings are UTF-8.
func Valid(document []byte) bool {
	return Check(document, nestingMost) == nil
}

// Check is Valid for a document in which no more than depth objects and arrays stand in each other. Its error is ErrInvalid or
// ErrTooDeep, whichever fault comes first.
func Check(document []byte, depth int) error {
	c := checker{text: document, depthMost: depth}
	if !c.document() {
		return cmp.Or(c.fault, ErrInvalid)
	}
	return nil
}

// Text is the text of a JSON string. It is false for a value of another kind.
func Text(value json.RawMessage) (string, bool) {
	if Kind(value) != StringValue {
		return "", false
	}
	if last := len(value) - 1; value[0] == '"' && last > 0 && bytes.IndexByte(value, '\\') < 0 && value[last] == '"' {
		return string(value[1:last]), true // most strings hold no escapes
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return "", false
	}
	return text, true
}

// TextLike is Text for a string that is probably the same as another one, which is then not copied.
func TextLike(value json.RawMessage, other string) (string, bool) {
	if PlainText(value) == nil || string(PlainText(value)) != other {
		return Text(value)
	}
	return other, true
}

// PlainText is the text of a JSON string of printable ASCII without escapes, which is spelled as it reads. It is nil
// for any other value, and shares memory with this one.
func PlainText(value json.RawMessage) []byte {
	last := len(value) - 1
	if last < 1 || value[0] != '"' || value[last] != '"' || !IsPrintableASCII(value) || bytes.IndexByte(value, '\\') >= 0 {
		return nil
	}
	return value[1:last:last]
}

// membersUsual is how many members an object has room for at first.
const membersUsual = 12

// ParseObject takes an object apart, one level deep. It reads every byte once, and is false for a value of another
// kind.
func ParseObject(value json.RawMessage) (Object, bool) { return ParseLike(value, nil) }

// ParseLike is ParseObject for an object that probably has the members of another one, as the rows of a page have:
// names that stand in the same place are not read again.
func ParseLike(value json.RawMessage, other Object) (Object, bool) {
	return ParseNested(value, other, nil)
}

// Nested is a member that is an object and taken apart together with the object around it.
type Nested struct {
	Name    string // of the member
	Like    Object // that it is probably like
	Members Object // what it holds
	Found   bool   // whether there is such a member and it is an object
}

// ParseNested is ParseLike, and takes one member apart on the way; nil for none.
func ParseNested(value json.RawMessage, other Object, nested *Nested) (Object, bool) {
	if Kind(value) != ObjectValue {
		return nil, false
	}
	object, _, ok := parseMembers(value, space(value, 0), other, nested)
	return object, ok
}

// parseMembers takes the object apart that begins at a place, and gives the place after it.
func parseMembers(value json.RawMessage, at int, other Object, nested *Nested) (object Object, end int, ok bool) {
	room := len(other)
	if room == 0 {
		room = membersUsual
	}
	object = make(Object, 0, room)
	at = space(value, at+1)
	for at < len(value) && value[at] != '}' {
		end := skip(value, at)
		name, ok := likeName(value[at:end], other, len(object))
		if !ok {
			return nil, 0, false
		}
		start := space(value, space(value, end)+1) // past the colon
		if start >= len(value) {
			return nil, 0, false
		}
		if nested != nil && value[start] == '{' && name == nested.Name && !nested.Found {
			nested.Members, end, nested.Found = parseMembers(value, start, nested.Like, nil)
			if !nested.Found {
				return nil, 0, false
			}
		} else {
			end = skip(value, start)
		}
		object = append(object, Member{Name: name, Value: value[start:end:end]})
		at = next(value, end)
	}
	return object, at + 1, at < len(value)
}

// likeName is the name in quotes, and that of the other object's member at the same place when it is the same.
func likeName(quoted json.RawMessage, other Object, place int) (string, bool) {
	if place < len(other) {
		if name := other[place].Name; len(quoted) == len(name)+2 && quoted[0] == '"' && string(quoted[1:len(name)+1]) == name &&
			bytes.IndexByte(quoted, '\\') < 0 {
			return name, true
		}
	}
	return nameOf(quoted)
}

// usualNames are names that stand in every record and every hit. A name of them is not copied.
var usualNames = func() map[string]string {
	names := make(map[string]string)
	for _, name := range []string{
		"object", "id", "stream", "data", "connection_id", "connector_instance_id", "connector_key", "connector_id", "display_name",
		"emitted_at", "record_key", "record_id", "record_url", "url", "snippet", "field", "text", "evidence_excerpts", "field_path",
		"preview_text", "provenance", "truncated", "read", "method", "route", "matched_fields", "score", "kind", "value", "order",
		"has_more", "next_cursor", "links", "meta", "self", "count", "warnings", "name", "subject", "body", "title", "received_at",
	} {
		names[name] = name
	}
	return names
}()

func nameOf(quoted json.RawMessage) (string, bool) {
	if len(quoted) > 2 && quoted[0] == '"' {
		if name, usual := usualNames[string(quoted[1:len(quoted)-1])]; usual {
			return name, true
		}
	}
	return Text(quoted)
}

// Elements takes an array apart, one level deep. It is false for a value of another kind.
func Elements(value json.RawMessage) ([]json.RawMessage, bool) {
	if Kind(value) != ArrayValue {
		return nil, false
	}
	elements := []json.RawMessage{}
	at := space(value, space(value, 0)+1)
	for at < len(value) && value[at] != ']' {
		end := skip(value, at)
		if end == at {
			return nil, false
		}
		elements = append(elements, value[at:end:end])
		at = next(value, end)
	}
	return elements, at < len(value)
}

// next is where the following member begins, or the closing bracket.
func next(value []byte, end int) int {
	at := space(value, end)
	if at < len(value) && value[at] == ',' {
		at = space(value, at+1)
	}
	return at
}

func space(value []byte, at int) int {
	for at < len(value) && isSpace[value[at]] {
		at++
	}
	return at
}

var isSpace = [256]bool{' ': true, '\n': true, '\t': true, '\r': true}

// skip is the end of the value that begins at a place.
func skip(value []byte, at int) int {
	depth := 0
	for at < len(value) {
		switch value[at] {
		case '"':
			at = skipString(value, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return at
			}
			at++
			continue
		default:
			at = skipWord(value, at)
		}
		if depth <= 0 {
			return at
		}
	}
	return at
}

// shortString is how many bytes of a string are looked at in words. In longer ones package bytes is faster, and in
// shorter ones calling it costs more than it saves.
const shortString = 4 * wordBytes

// skipString is the end of the string that begins at a place.
func skipString(value []byte, at int) int {
	at++
	if rest := value[at:min(len(value), at+shortString)]; len(rest) > 0 {
		if plain := ordinaryPrefix(rest); plain < len(rest) && rest[plain] == '"' {
			return at + plain + 1
		}
	}
	return skipLongString(value, at)
}

// skipLongString looks for quotes only, from the first byte inside: a quote ends the string unless an odd number of
// backslashes stands before it.
func skipLongString(value []byte, at int) int {
	for ; at < len(value); at++ {
		found := bytes.IndexByte(value[at:], '"')
		if found < 0 {
			break
		}
		at += found
		before := at - 1
		for value[before] == '\\' {
			before--
		}
		if (at-before)%2 == 1 {
			return at + 1
		}
	}
	return len(value)
}

// skipWord passes a number or a literal.
func skipWord(value []byte, at int) int {
	for at < len(value) {
		switch value[at] {
		case ',', ':', ']', '}', '"', '{', '[', ' ', '\n', '\t', '\r':
			return at
		}
		at++
	}
	return at
}
