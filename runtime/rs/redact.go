package rs

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Secrets are the bearers of one call. They are removed from everything that is shown, in any spelling (R-ERR-6). They are
// immutable and safe for concurrent use; nil has none. Printing them gives a fixed word.
type Secrets struct {
	bearers []string
	letters [256]bool // that the bearers have
}

// NewSecrets returns a set of bearers. It ignores values shorter than ShortestBearer.
func NewSecrets(bearers ...string) *Secrets {
	s := &Secrets{}
	for _, bearer := range bearers {
		if len(bearer) < ShortestBearer || slices.Contains(s.bearers, bearer) {
			continue
		}
		s.bearers = append(s.bearers, bearer)
		for _, letter := range []byte(bearer) {
			s.letters[letter] = true
		}
	}
	return s
}

// with returns the set with another bearer.
func (s *Secrets) with(bearer string) *Secrets {
	if s != nil && slices.Contains(s.bearers, bearer) {
		return s
	}
	if s == nil {
		return NewSecrets(bearer)
	}
	return NewSecrets(append(slices.Clone(s.bearers), bearer)...)
}

// Format gives the same fixed word for every verb.
func (s *Secrets) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

func (s *Secrets) text(text string) string {
	if len(text) < ShortestBearer { // an escaped one is longer still
		return text
	}
	return string(s.bytes([]byte(text)))
}

// bytes returns a body without bearers. It returns the slice itself if there are none, which is the usual case.
func (s *Secrets) bytes(body []byte) []byte {
	for _, bearer := range s.bearers {
		if bytes.Contains(body, []byte(bearer)) {
			body = bytes.ReplaceAll(body, []byte(bearer), []byte(redacted))
		}
	}
	return s.escaped(body)
}

// escaped removes bearers with at least one escaped character: by JSON, once or twice, in a URL, or both. Such a bearer has a first
// escape, so it compares only the text around escapes.
func (s *Secrets) escaped(body []byte) []byte {
	var clean []byte
	taken := 0 // of the body, into clean
	backslash, percent := nextOf(body, 0, '\\'), nextOf(body, 0, '%')
	for at := min(backslash, percent); at < len(body); at = min(backslash, percent) {
		character, end := unescape(body, at)
		if character < 0x80 && s.letters[character] {
			if from, to := s.around(body, taken, at); to > 0 {
				clean = append(append(clean, body[taken:from]...), redacted...)
				taken, end = to, to
			}
		}
		if backslash < end {
			backslash = nextOf(body, end, '\\')
		}
		if percent < end {
			percent = nextOf(body, end, '%')
		}
	}
	if taken == 0 {
		return body
	}
	return append(clean, body[taken:]...)
}

// nextOf returns the next position of a byte, or the length of the body.
func nextOf(body []byte, from int, wanted byte) int {
	if at := bytes.IndexByte(body[from:], wanted); at >= 0 {
		return from + at
	}
	return len(body)
}

// around returns the bounds of the bearer whose first escape is at a position and that starts at least or later; to is 0 if there is
// none.
func (s *Secrets) around(body []byte, least, at int) (from, to int) {
	for _, bearer := range s.bearers {
		for before := range min(len(bearer), at-least+1) {
			if !bytes.Equal(body[at-before:at], []byte(bearer[:before])) {
				continue
			}
			if end := spelledOut(body, at, bearer[before:]); end > 0 {
				return at - before, end
			}
		}
	}
	return at, 0
}

// spelledOut returns the end of a text that starts at a position in any spelling, or 0.
func spelledOut(body []byte, at int, text string) int {
	for i := range len(text) {
		if at >= len(body) {
			return 0
		}
		character, end := unescape(body, at)
		if rune(text[i]) != character {
			return 0
		}
		at = end
	}
	return at
}

// unescape returns the character at a position, and the position of the next one.
func unescape(body []byte, at int) (character rune, end int) {
	character, end = unquote(body, at)
	if character != '%' {
		return character, end
	}
	high, end1 := digitAt(body, end)
	low, end2 := digitAt(body, end1)
	if high < 0 || low < 0 {
		return character, end
	}
	return high<<4 | low, end2
}

func digitAt(body []byte, at int) (digit rune, end int) {
	if at >= len(body) {
		return -1, at
	}
	character, end := unquote(body, at)
	return hexadecimal(character), end
}

// unquote reads a character of a JSON string that may contain another JSON string.
func unquote(body []byte, at int) (character rune, end int) {
	character, end, escape := unquoteOnce(body, at)
	if character != '\\' || !escape || end >= len(body) {
		return character, end
	}
	// The backslash was escaped: it may start an escape of the inner string.
	kind, after, _ := unquoteOnce(body, end)
	switch kind {
	case 'u':
		inner := rune(0)
		for range 4 {
			if after >= len(body) {
				return character, end
			}
			var digit rune
			digit, after, _ = unquoteOnce(body, after)
			if digit = hexadecimal(digit); digit < 0 {
				return character, end
			}
			inner = inner<<4 | digit
		}
		return inner, after
	case '/', '"', '\\':
		return kind, after
	}
	return character, end
}

// unquoteOnce reads a byte, or the character of a JSON escape (RFC 8259, section 7).
func unquoteOnce(body []byte, at int) (character rune, end int, escape bool) {
	if body[at] != '\\' || at+1 == len(body) {
		return rune(body[at]), at + 1, false
	}
	switch kind := body[at+1]; {
	case kind == 'u' && at+6 <= len(body):
		for _, digit := range body[at+2 : at+6] {
			value := hexadecimal(rune(digit))
			if value < 0 {
				return '\\', at + 1, false
			}
			character = character<<4 | value
		}
		return character, at + 6, true
	case kind == '/' || kind == '"' || kind == '\\':
		return rune(kind), at + 2, true
	}
	return 0, at + 2, true // a control character, which no bearer has
}

func hexadecimal(digit rune) rune {
	switch {
	case '0' <= digit && digit <= '9':
		return digit - '0'
	case 'a' <= digit && digit <= 'f':
		return digit - 'a' + 10
	case 'A' <= digit && digit <= 'F':
		return digit - 'A' + 10
	}
	return -1
}

// told removes bearers from a server's text about a failure, also in base64 (RFC 4648, both alphabets), which a server uses that
// repeats an Authorization header for Basic. Bodies with records are not searched for base64: it takes as long as reading them.
func (s *Secrets) told(body []byte) []byte {
	return base64Run.ReplaceAllFunc(s.bytes(body), func(run []byte) []byte {
		text := unescapeBase64.Replace(string(run))
		for start := range min(4, len(text)) { // where a group of four begins is not known
			decoded, _ := base64.RawStdEncoding.DecodeString(text[start:]) // as far as it is base64
			if !bytes.Equal(s.bytes(decoded), decoded) {
				return []byte(redacted)
			}
		}
		return run
	})
}

// base64Run is base64 that is long enough for a bearer. JSON may have escaped its slashes.
var base64Run = regexp.MustCompile(`(?:[A-Za-z0-9+_-]|\\?/){21,}=*`)

var unescapeBase64 = strings.NewReplacer(`\`, "", "-", "+", "_", "/", "=", "")

// cause returns an error without bearers in its text. Package http quotes a response that is not HTTP.
func (s *Secrets) cause(err error) error {
	if err == nil {
		return nil
	}
	if shown := string(s.told([]byte(err.Error()))); shown != err.Error() {
		return errors.New(shown)
	}
	return err
}

// request returns a request without bearers.
func (s *Secrets) request(asked Request) Request {
	clean := Request{Path: Path(s.text(string(asked.Path))), Sources: asked.Sources, Optional: asked.Optional}
	for _, parameter := range asked.Query.Parameters() {
		clean.Query.Set(s.text(parameter.Name), s.text(parameter.Value))
	}
	return clean
}
