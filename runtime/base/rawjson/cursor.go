package rawjson

import (
	"bytes"
	"math/bits"
	"strings"
)

const shortString = 4 * wordBytes

// Cursor reads a checked value once, from front to back, without copying. Use it if only few members are needed.
//
//	for inside := c.Enter(ObjectValue); inside && c.More(); {
//		switch string(c.Name()) {
//		case "rows":
//			readRows(c)
//		default:
//			c.Value()
//		}
//	}
//
// The caller must read each value, with Enter and More or with Value. A copy of a cursor is independent.
type Cursor struct {
	text Value
	at   int
}

// NewCursor returns a cursor before a value.
func NewCursor(value Value) Cursor { return Cursor{text: value} }

// At returns the position of the next value, for Since.
func (c *Cursor) At() int {
	c.at = skipSpace(c.text, c.at)
	return c.at
}

// Since returns the bytes that were read since a position that At returned.
func (c *Cursor) Since(position int) Value { return c.text[position:c.at:c.at] }

// Kind returns the kind of the next value.
func (c *Cursor) Kind() ValueKind { return Kind(c.text[c.at:]) }

// Enter reads the opening bracket of the next value if it is of this kind. Otherwise it reads the value and returns
// false.
func (c *Cursor) Enter(kind ValueKind) bool {
	if c.Kind() != kind {
		c.Value()
		return false
	}
	c.at = skipSpace(c.text, c.at) + 1
	return true
}

// More reports whether the object or array has another member or element. Otherwise it reads the closing bracket.
func (c *Cursor) More() bool {
	c.at = skipSpace(c.text, c.at)
	if c.at < len(c.text) && c.text[c.at] == ',' {
		c.at = skipSpace(c.text, c.at+1)
	}
	if c.at == len(c.text) {
		return false
	}
	if closing := c.text[c.at]; closing == '}' || closing == ']' {
		c.at++
		return false
	}
	return true
}

// Name reads the name of the next member. The caller must not write to it.
func (c *Cursor) Name() []byte {
	quoted := c.Value()
	if c.at = skipSpace(c.text, c.at); c.at < len(c.text) { // the colon
		c.at++
	}
	if last := len(quoted) - 1; last > 0 && bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1:last]
	}
	name, _ := Text(quoted)
	return []byte(name)
}

// acceptName reads the name of the next member if it is this one, written without escapes and spaces.
func (c *Cursor) acceptName(name string) bool {
	rest, end := c.text[c.at:], len(name)+len(`"`)
	isNext := len(rest) > end+1 && rest[0] == '"' && string(rest[1:end]) == name && rest[end] == '"' && rest[end+1] == ':'
	if isNext = isNext && strings.IndexByte(name, '\\') < 0; isNext { // a backslash would escape the quote
		c.at += end + len(`":`)
	}
	return isNext
}

// Value reads the next value.
func (c *Cursor) Value() Value {
	start := skipSpace(c.text, c.at)
	c.at = skipValue(c.text, start)
	if c.at == start { // there is no value, so nothing after it can be read
		c.at = len(c.text)
		return nil
	}
	return c.text[start:c.at:c.at]
}

// Member returns the value of a member of the next value without reading it, or nil if it is missing.
func (c *Cursor) Member(name string) Value {
	within := *c
	for inside := within.Enter(ObjectValue); inside && within.More(); {
		found := string(within.Name()) == name
		if value := within.Value(); found {
			return value
		}
	}
	return nil
}

func skipSpace(text Value, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// skipValue returns the end of the value that begins at a position.
func skipValue(text Value, at int) int {
	for depth := 0; at < len(text); {
		switch text[at] {
		case '"':
			at = skipString(text, at)
			if depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // after a number or a literal
				return at
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return at
			}
		}
		at++
	}
	return at
}

// skipString returns the end of the string that begins at a position: its next quote after an even number of
// backslashes.
func skipString(text Value, at int) int {
	at++
	for end := min(len(text), at+shortString); end-at >= wordBytes; at += wordBytes { // most strings are short
		if found := delimiting(wordAt(text, at)) & highest; found != 0 {
			if at += bits.TrailingZeros64(found) / 8; text[at] == '"' {
				return at + 1
			}
			break
		}
	}
	for ; at < len(text); at++ {
		found := bytes.IndexByte(text[at:], '"')
		if found < 0 {
			break
		}
		at += found
		before := at - 1
		for text[before] == '\\' {
			before--
		}
		if (at-before)%2 == 1 {
			return at + 1
		}
	}
	return len(text)
}
