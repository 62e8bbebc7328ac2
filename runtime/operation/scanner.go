package operation

import (
	"bytes"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// scanner reads a JSON text once, from front to back. It checks the grammar of RFC 8259 on its way, so
// every span that it gives is one whole value. It copies nothing: spans are parts of the text.
//
// After something that is not JSON it is broken and stays so: it gives empty spans and visits nothing.
type scanner struct {
	text   []byte
	at     int
	depth  int
	broken bool
}

// nestingRead bounds how deep values may nest. Schemas have no such depth.
const nestingRead = 1000

// peek is the first byte of the next token, or 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			return s.text[s.at]
		}
	}
	return 0
}

// take passes one punctuation byte.
func (s *scanner) take(want byte) {
	if s.peek() != want {
		s.fail()
		return
	}
	s.at++
}

func (s *scanner) fail() {
	s.broken, s.at = true, len(s.text)
}

// ended tells whether the text was one whole value that has been read.
func (s *scanner) ended() bool { return s.peek() == 0 && !s.broken && s.at == len(s.text) }

// value passes the next value and gives its span.
func (s *scanner) value() []byte {
	first := s.peek()
	start := s.at
	switch {
	case first == '{':
		s.object(func([]byte) { s.value() })
	case first == '[':
		s.array(func() { s.value() })
	case first == '"':
		s.passString()
	default:
		s.passWord(first)
	}
	if s.broken {
		return nil
	}
	return s.text[start:s.at:s.at]
}

// object calls visit with the name of each member of the next value, when that is an object. A value
// that visit does not read is passed. Another kind of value is passed whole.
func (s *scanner) object(visit func(name []byte)) {
	if s.peek() != '{' {
		s.value()
		return
	}
	s.enter()
	for more := s.peek() != '}'; more && !s.broken; more = s.another('}') {
		if s.peek() != '"' {
			s.fail()
			return
		}
		start := s.at
		escaped := s.passString()
		if s.broken {
			return
		}
		name := s.text[start+1 : s.at-1]
		if escaped {
			unescaped, _ := rawjson.Text(s.text[start:s.at])
			name = []byte(unescaped)
		}
		s.take(':')
		s.peek()
		before := s.at
		if visit(name); s.at == before && !s.broken {
			s.value()
		}
	}
	s.leave()
}

// array calls visit before each element of the next value, when that is an array. An element that
// visit does not read is passed. Another kind of value is passed whole.
func (s *scanner) array(visit func()) {
	if s.peek() != '[' {
		s.value()
		return
	}
	s.enter()
	for more := s.peek() != ']'; more && !s.broken; more = s.another(']') {
		before := s.at // the loop has peeked: this is a token
		if visit(); s.at == before && !s.broken {
			s.value()
		}
	}
	s.leave()
}

func (s *scanner) enter() {
	s.at++
	if s.depth++; s.depth > nestingRead {
		s.fail()
	}
}

// leave passes the closing bracket, which the loop has seen.
func (s *scanner) leave() {
	s.depth--
	if !s.broken {
		s.at++
	}
}

// another passes a comma, and tells whether one more element follows.
func (s *scanner) another(closing byte) bool {
	if s.peek() == closing {
		return false
	}
	s.take(',')
	if s.peek() == closing { // a comma too many
		s.fail()
	}
	return !s.broken
}

// passString passes a string and tells whether it holds escapes.
func (s *scanner) passString() (escaped bool) {
	for s.at++; s.at < len(s.text); s.at++ {
		s.passOrdinary()
		if s.at == len(s.text) {
			break
		}
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return escaped
		case c == '\\':
			escaped = true
			s.passEscape()
		case c < ' ':
			s.fail()
			return escaped
		}
	}
	s.fail()
	return escaped
}

// isOrdinary tells the bytes of a string that need no look: all but quotes, backslashes and controls. Most of
// a schema document are such bytes.
var isOrdinary = func() (ordinary [256]bool) {
	for b := ' '; b <= 0xFF; b++ {
		ordinary[b] = b != '"' && b != '\\'
	}
	return ordinary
}()

func (s *scanner) passOrdinary() {
	text, at := s.text, s.at
	for at < len(text) && isOrdinary[text[at]] {
		at++
	}
	s.at = at
}

// passEscape stops on the last byte of an escape.
func (s *scanner) passEscape() {
	s.at++
	if s.at >= len(s.text) || strings.IndexByte(`"\/bfnrtu`, s.text[s.at]) < 0 {
		s.fail()
		return
	}
	if s.text[s.at] != 'u' {
		return
	}
	for range 4 {
		if s.at++; s.at >= len(s.text) || !isHex(s.text[s.at]) {
			s.fail()
			return
		}
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// passWord passes a literal or a number.
func (s *scanner) passWord(first byte) {
	switch first {
	case 't':
		s.passLiteral("true")
	case 'f':
		s.passLiteral("false")
	case 'n':
		s.passLiteral("null")
	default:
		s.passNumber()
	}
}

func (s *scanner) passLiteral(word string) {
	if !bytes.HasPrefix(s.text[s.at:], []byte(word)) {
		s.fail()
		return
	}
	s.at += len(word)
}

func (s *scanner) passNumber() {
	s.passAny("-")
	if !s.passAny("0") {
		s.passDigits()
	}
	if s.passAny(".") {
		s.passDigits()
	}
	if s.passAny("eE") {
		s.passAny("+-")
		s.passDigits()
	}
}

// passAny passes one byte if it is among these.
func (s *scanner) passAny(wanted string) bool {
	if s.at < len(s.text) && strings.IndexByte(wanted, s.text[s.at]) >= 0 {
		s.at++
		return true
	}
	return false
}

// passDigits passes one digit or more.
func (s *scanner) passDigits() {
	start := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	if s.at == start {
		s.fail()
	}
}
