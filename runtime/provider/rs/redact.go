package rs

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Secrets are the bearers of one call. They are removed from everything that is shown, in any spelling (R-ERR-6). They
// are immutable and safe for concurrent use. They print as a fixed word.
type Secrets struct {
	bearers []string
	rare    []string  // a part of each bearer that begins with its least frequent character
	letters [256]bool // of all bearers
}

// NewSecrets returns a set of bearers. It ignores values shorter than ShortestBearer.
func NewSecrets(bearers ...string) *Secrets {
	s := &Secrets{}
	for _, bearer := range bearers {
		if len(bearer) < ShortestBearer || slices.Contains(s.bearers, bearer) {
			continue
		}
		s.bearers, s.rare = append(s.bearers, bearer), append(s.rare, rarePart(bearer))
		for _, letter := range []byte(bearer) {
			s.letters[letter] = true
		}
	}
	return s
}

// frequent are the characters that JSON texts often have, the most frequent first.
const frequent = "eatoinsrhldcumfpgwyb0123456789-_.vkxjqz"

// rarePart returns the part of a bearer that is found fastest. Package bytes looks for the first character, so a page
// of records with a bearer that begins with a frequent one would take up to 30 times as long.
func rarePart(bearer string) string {
	start, rarest := 0, -1
	for i, letter := range []byte(bearer[:len(bearer)-ShortestBearer/2]) {
		rank := strings.IndexByte(frequent, letter)
		if rank < 0 {
			rank = len(frequent)
		}
		if rank > rarest {
			start, rarest = i, rank
		}
	}
	return bearer[start:]
}

func (s *Secrets) with(bearer string) *Secrets {
	switch {
	case s == nil:
		return NewSecrets(bearer)
	case slices.Contains(s.bearers, bearer):
		return s
	}
	return NewSecrets(append(slices.Clone(s.bearers), bearer)...)
}

// Format writes the same fixed word for every verb.
func (s *Secrets) Format(state fmt.State, _ rune) { _, _ = state.Write([]byte(redacted)) }

// redactText is redact for a text, which it does not copy if it has neither a bearer nor an escape.
func (s *Secrets) redactText(text string) string {
	holds := func(part string) bool { return strings.Contains(text, part) }
	if !strings.ContainsAny(text, `\%`) && !slices.ContainsFunc(s.rare, holds) {
		return text
	}
	return string(s.redact([]byte(text)))
}

// redact returns a body without bearers. A body without bearers, which is the usual case, is returned unchanged and not
// copied.
func (s *Secrets) redact(body []byte) []byte {
	for i, bearer := range s.bearers {
		if bytes.Contains(body, []byte(s.rare[i])) {
			body = bytes.ReplaceAll(body, []byte(bearer), []byte(redacted))
		}
	}
	return s.redactEscaped(body)
}

// redactEscaped removes bearers with escaped characters: by JSON, once or twice, in a URL, or both. It searches around
// escapes only.
func (s *Secrets) redactEscaped(body []byte) []byte {
	var clean []byte
	done := 0 // bytes of the body that clean covers
	backslash, percent := nextOf(body, 0, '\\'), nextOf(body, 0, '%')
	for i := min(backslash, percent); i < len(body); i = min(backslash, percent) {
		character, end := unescape(body, i)
		if character < 0x80 && s.letters[character] {
			if from, to := s.findAround(body, done, i); to > 0 {
				clean = append(append(clean, body[done:from]...), redacted...)
				done, end = to, to
			}
		}
		if backslash < end {
			backslash = nextOf(body, end, '\\')
		}
		if percent < end {
			percent = nextOf(body, end, '%')
		}
	}
	if done == 0 {
		return body
	}
	return append(clean, body[done:]...)
}

func nextOf(body []byte, from int, wanted byte) int {
	if i := bytes.IndexByte(body[from:], wanted); i >= 0 {
		return from + i
	}
	return len(body)
}

// findAround returns the bounds of the bearer whose first escape is at a position. Without one, to is 0. The search
// does not start before least.
func (s *Secrets) findAround(body []byte, least, i int) (from, to int) {
	for _, bearer := range s.bearers {
		for before := range min(len(bearer), i-least+1) {
			if !bytes.Equal(body[i-before:i], []byte(bearer[:before])) {
				continue
			}
			if end := endOf(body, i, bearer[before:]); end > 0 {
				return i - before, end
			}
		}
	}
	return i, 0
}

// endOf returns the end of a text that starts at a position in any spelling, or 0.
func endOf(body []byte, i int, text string) int {
	for _, wanted := range []byte(text) {
		character, end := unescape(body, i)
		if character != rune(wanted) {
			return 0
		}
		i = end
	}
	return i
}

func unescape(body []byte, i int) (character rune, end int) {
	character, end = unquote(body, i, 2)
	if character != '%' {
		return character, end
	}
	high, next := unquote(body, end, 2)
	low, next := unquote(body, next, 2)
	if decoded := hexadecimal(high)<<4 | hexadecimal(low); decoded >= 0 {
		return decoded, next
	}
	return character, end
}

// unquote reads a character of a text that was quoted as a JSON string (RFC 8259, section 7), perhaps several times.
// After the end of the text, the character is -1.
func unquote(body []byte, i, times int) (character rune, end int) {
	if i >= len(body) {
		return -1, i
	}
	if times == 0 || body[i] != '\\' {
		return rune(body[i]), i + 1
	}
	character, end = unquote(body, i, times-1)
	if character != '\\' {
		return character, end
	}
	kind, next := unquote(body, end, times-1)
	switch kind {
	case '/', '"', '\\':
		return kind, next
	case 'u':
		var decoded, digit rune
		for range 4 {
			digit, next = unquote(body, next, times-1)
			decoded = decoded<<4 | hexadecimal(digit)
		}
		if decoded >= 0 {
			return decoded, next
		}
	}
	return character, end // not quoted, or a control character, which no bearer has
}

// hexadecimal returns the value of a digit, or -1.
func hexadecimal(digit rune) rune {
	return rune(strings.IndexRune("0123456789abcdef", unicode.ToLower(digit)))
}

// redactRefusal removes bearers from a server's text about a failure, also in base64 (RFC 4648, both alphabets): a
// server may repeat an Authorization header as Basic credentials. Bodies with records are not searched for base64: it
// takes as long as reading them.
func (s *Secrets) redactRefusal(body []byte) []byte {
	return base64Run.ReplaceAllFunc(s.redact(body), func(run []byte) []byte {
		text := unescapeBase64.Replace(string(run))
		for start := range min(4, len(text)) { // the run may begin inside a group of four
			decoded, _ := base64.RawStdEncoding.DecodeString(text[start:]) // as far as it is base64
			if !bytes.Equal(s.redact(decoded), decoded) {
				return []byte(redacted)
			}
		}
		return run
	})
}

// base64Run is base64 that is long enough for a bearer. JSON may have escaped its slashes.
var base64Run = regexp.MustCompile(`(?:[A-Za-z0-9+_-]|\\?/){21,}=*`)

var unescapeBase64 = strings.NewReplacer(`\`, "", "-", "+", "_", "/", "=", "")

// redactError returns an error without bearers in its text. Package http quotes a response that is not HTTP.
func (s *Secrets) redactError(err error) error {
	if err == nil {
		return nil
	}
	if shown := string(s.redactRefusal([]byte(err.Error()))); shown != err.Error() {
		return errors.New(shown)
	}
	return err
}

func (s *Secrets) redactRequest(asked Request) Request {
	clean := Request{Path: Path(s.redactText(string(asked.Path))), Sources: asked.Sources, Optional: asked.Optional}
	clean.Query.parameters = make([]Parameter, 0, len(asked.Query.parameters))
	for _, parameter := range asked.Query.Parameters() {
		clean.Query.Set(s.redactText(parameter.Name), s.redactText(parameter.Value))
	}
	return clean
}
