package rawjson

import (
	"bytes"
	"math/bits"
)

// nestingMost bounds how deep a checked document nests, as package json does.
const nestingMost = 10_000

// checker reads a document once and checks the grammar of RFC 8259. Package json steps through a state
// machine with a call for every byte, which costs several times as much; answers of a resource server are
// checked on their way in and looked at again by each renderer.
type checker struct {
	text   []byte
	at     int
	depth  int
	spaces int // bytes of whitespace between tokens

	depthMost  int
	tellsNames bool     // whether a name that comes twice in an object is a fault
	names      [][]byte // of the objects that are open, while names are told apart
	notes      []note   // of the values that were passed; the first one is none
	notesMost  int      // 0: nothing is noted
	fault      error    // of a document that is valid so far; nil for one that is not
}

// document reports whether the text is one value.
func (c *checker) document() bool {
	if !c.value(0) {
		return false
	}
	c.space()
	return c.at == len(c.text)
}

func (c *checker) space() {
	end := space(c.text, c.at)
	c.spaces += end - c.at
	c.at = end
}

// peek is the first byte of the next token, or 0 at the end.
func (c *checker) peek() byte {
	if c.at < len(c.text) && !isSpace[c.text[c.at]] { // nearly always
		return c.text[c.at]
	}
	return c.peekBehindSpace()
}

func (c *checker) peekBehindSpace() byte {
	c.space()
	if c.at == len(c.text) {
		return 0
	}
	return c.text[c.at]
}

// value passes a value that is probably like one that was noted; 0 for none.
func (c *checker) value(like int32) bool {
	switch first := c.peek(); first {
	case '{':
		return c.enter() && c.members(c.inside(like))
	case '[':
		return c.enter() && c.elements()
	case '"':
		return c.quoted()
	case 't':
		return c.literal("true")
	case 'f':
		return c.literal("false")
	case 'n':
		return c.literal("null")
	default:
		return c.number(first)
	}
}

// enter passes an opening bracket.
func (c *checker) enter() bool {
	c.at++
	c.depth++
	if c.depth > c.depthMost {
		c.fault = ErrTooDeep
		return false
	}
	return true
}

// members passes the members of an object, and its bracket. As long as it has the names of the members that stand from a note
// on, in their order, its names need not be told apart again.
func (c *checker) members(like, until int32) bool {
	if c.peek() == '}' {
		return c.leave()
	}
	own := objectNames{from: len(c.names)}
	first := like
	for {
		start := c.at
		if like == until || !c.passes(like) {
			for ; first < like; first = c.notes[first].next {
				c.names = append(c.names, c.noted(first))
			}
			like, until = 0, 0
			var ok bool
			if start, ok = c.name(&own); !ok {
				return false
			}
		}
		at := c.begin(start)
		if !c.value(like) {
			return false
		}
		c.finish(at)
		if like > 0 {
			like = c.notes[like].next
		}
		switch c.peek() {
		case ',':
			c.at++
		case '}':
			c.names = c.names[:own.from]
			return c.leave()
		default:
			return false
		}
	}
}

// name passes the name of a member and its colon. What it gives for a note is where the name begins, or the value when the name
// has escapes.
func (c *checker) name(own *objectNames) (start int, ok bool) {
	if c.peek() != '"' {
		return 0, false
	}
	start = c.at
	if !c.quoted() {
		return 0, false
	}
	quoted := c.text[start:c.at]
	if c.peek() != ':' {
		return 0, false
	}
	c.at++
	if !c.tellsNames {
		return start, true
	}
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		decoded, _ := Text(quoted) // the string is valid
		name, start = []byte(decoded), c.at
	}
	if !c.isNew(own, name) {
		c.fault = ErrRepeatedName
		return 0, false
	}
	return start, true
}

func (c *checker) elements() bool {
	if c.peek() == ']' {
		return c.leave()
	}
	before := int32(0)
	for {
		at := c.begin(c.at)
		if !c.value(before) {
			return false
		}
		c.finish(at)
		before = at
		switch c.peek() {
		case ',':
			c.at++
		case ']':
			return c.leave()
		default:
			return false
		}
	}
}

// leave passes a closing bracket.
func (c *checker) leave() bool {
	c.at++
	c.depth--
	return true
}

// isOrdinary tells the bytes of a string that need no look: all but quotes, backslashes and controls.
var isOrdinary = func() (ordinary [256]bool) {
	for b := ' '; b <= 0xFF; b++ {
		ordinary[b] = b != '"' && b != '\\'
	}
	return ordinary
}()

// quoted passes a string. Most are short and end at the first byte that needs a look.
func (c *checker) quoted() bool {
	text, at := c.text, c.at+1
	for end := min(len(text), at+shortString); end-at >= wordBytes; at += wordBytes {
		found := special(wordAt(text, at))
		if found == 0 {
			continue
		}
		if at += bits.TrailingZeros64(found) / 8; text[at] == '"' {
			c.at = at + 1
			return true
		}
		return c.quotedFrom(at)
	}
	if end := bytes.IndexByte(text[at:], '"'); end >= 0 && isOrdinaryText(text[at:at+end]) {
		c.at = at + end + 1
		return true
	}
	return c.quotedFrom(at)
}

// isOrdinaryText reports whether no byte of a text without quotes needs a look.
func isOrdinaryText(text []byte) bool { return bytes.IndexByte(text, '\\') < 0 && !holdsControl(text) }

// quotedFrom passes a string from a byte inside on.
func (c *checker) quotedFrom(at int) bool {
	for text := c.text; at < len(text); {
		switch b := text[at]; {
		case isOrdinary[b]:
			at++
		case b == '"':
			c.at = at + 1
			return true
		case b == '\\':
			length := escapeLength(text[at:])
			if length == 0 {
				return false
			}
			at += length
			at += ordinaryPrefix(text[at:])
		default:
			return false
		}
	}
	return false
}

// escapeLength is the length of the escape at the beginning of a text, or 0 when it is none.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(text) >= 6 && isHexadecimal(text[2]) && isHexadecimal(text[3]) && isHexadecimal(text[4]) && isHexadecimal(text[5]) {
			return 6
		}
	}
	return 0
}

func isHexadecimal(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

func (c *checker) literal(word string) bool {
	if len(c.text)-c.at < len(word) || string(c.text[c.at:c.at+len(word)]) != word {
		return false
	}
	c.at += len(word)
	return true
}

// number passes a number: -, then 0 or digits without a leading 0, then a fraction, then an exponent.
func (c *checker) number(first byte) bool {
	if first == '-' {
		c.at++
	}
	if c.at < len(c.text) && c.text[c.at] == '0' {
		c.at++
	} else if c.digits() == 0 {
		return false
	}
	if c.at < len(c.text) && c.text[c.at] == '.' {
		c.at++
		if c.digits() == 0 {
			return false
		}
	}
	if c.at < len(c.text) && (c.text[c.at] == 'e' || c.text[c.at] == 'E') {
		c.at++
		if c.at < len(c.text) && (c.text[c.at] == '+' || c.text[c.at] == '-') {
			c.at++
		}
		return c.digits() > 0
	}
	return true
}

func (c *checker) digits() int {
	start := c.at
	for c.at < len(c.text) && '0' <= c.text[c.at] && c.text[c.at] <= '9' {
		c.at++
	}
	return c.at - start
}
