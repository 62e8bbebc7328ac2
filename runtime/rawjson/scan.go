package rawjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math/bits"
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
	compacted, err := compact(document, &checker{depthMost: nestingMost})
	if err != nil {
		return nil, ErrInvalid
	}
	return compacted, nil
}

// compact is Compact with a checker of its own, which gets the text. Its error is ErrInvalid or the checker's fault.
func compact(document []byte, c *checker) (json.RawMessage, error) {
	document = bytes.Trim(document, " \t\r\n") // most encoders end a document with a new line
	c.text = document
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

// Valid reports whether a document is one JSON value (RFC 8259) that nests at most 10,000 deep. It does not look at whether strings are UTF-8.
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

// TextOf is the text of a JSON string, or empty for a value of another kind.
func TextOf(value json.RawMessage) string {
	text, _ := Text(value)
	return text
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
	for depth := 0; at < len(value); {
		switch value[at] {
		case '"':
			if at = skipString(value, at); depth == 0 {
				return at
			}
		case '{', '[':
			depth++
			at++
		case '}', ']':
			if depth == 0 { // of what stands around a number or a literal
				return at
			}
			at++
			if depth--; depth == 0 {
				return at
			}
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return at
			}
			at++
		default: // of a number or a literal
			at++
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
	for end := min(len(value), at+shortString); end-at >= wordBytes; at += wordBytes {
		word := wordAt(value, at) ^ quotes
		found := (word - lowest) &^ word & highest
		if found == 0 {
			continue
		}
		if quote := at + bits.TrailingZeros64(found)/8; value[quote-1] != '\\' {
			return quote + 1
		}
		break
	}
	return skipLongString(value, at)
}

// skipLongString looks for quotes only, from a byte inside on: a quote ends the string unless an odd number of
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
