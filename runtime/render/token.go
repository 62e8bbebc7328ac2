// Package render turns answers of the resource server into what a model reads: a text with key=value tokens and
// continuation lines, and a structured object. Either channel is enough alone (R-BUD-1), and both are bounded
// (R-BUD-2). Generated code calls one renderer per tool.
package render

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Token returns name="value", the value as a JSON string.
func Token(name, value string) string { return RawToken(name, rawjson.Quote(value)) }

// RawToken returns name=value with the value as the JSON that was received, on one line.
func RawToken(name string, value json.RawMessage) string {
	return tokenName(name) + "=" + rawjson.Visible(value)
}

func intToken(name string, value int64) string { return name + "=" + strconv.FormatInt(value, 10) }

func boolToken(name string, value bool) string { return name + "=" + strconv.FormatBool(value) }

func tokenIf(name, value string) string {
	if value == "" {
		return ""
	}
	return Token(name, value)
}

// Tokens returns members as tokens.
func Tokens(members rawjson.Object) string {
	tokens := make([]string, len(members))
	for i, member := range members {
		tokens[i] = RawToken(member.Name, member.Value)
	}
	return words(tokens...)
}

func words(tokens ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(tokens), func(token string) bool { return token == "" }), " ")
}

func withLine(lines []string, line string) []string {
	if line == "" {
		return lines
	}
	return append(lines, line)
}

// Quoted returns a text as a JSON string on one line, with invisible characters as escapes.
func Quoted(text string) string { return rawjson.Visible(rawjson.Quote(text)) }

// tokenName quotes a name unless it has only ASCII letters, digits, underscores, hyphens and dots.
func tokenName(name string) string {
	isOdd := func(r rune) bool {
		return !strings.ContainsRune("_-.", r) && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}
	if name == "" || strings.ContainsFunc(name, isOdd) {
		return Quoted(name)
	}
	return name
}

// ListedName returns a name from the data for a list of names. It quotes unusual characters; letters of any language
// and URLs stay plain.
func ListedName(name string) string {
	isOdd := func(r rune) bool {
		return !(strings.ContainsRune("_-./:@+#~", r) || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if name == "" || strings.HasSuffix(name, ":") || strings.ContainsFunc(name, isOdd) {
		return Quoted(name)
	}
	return name
}

// HeadingName is ListedName for a name that begins a line and ends in a colon. It quotes the words with which lines of
// the adapter begin.
func HeadingName(name string) string {
	if slices.Contains([]string{"next", "warning", "source", "connector", wire.Streams}, name) {
		return Quoted(name)
	}
	return ListedName(name)
}

// marked encloses multi-line content of a record between two lines with a random mark of 64 bits, so that no line of it
// can be taken for a line of the adapter (R-TRUST-1). Digits cost the fewest tokens.
func marked(content string) string {
	if content == "" {
		return ""
	}
	var random [8]byte
	rand.Read(random[:]) // never fails
	mark := fmt.Sprintf("%020d", binary.BigEndian.Uint64(random[:]))
	return "[data " + mark + "]\n" + visibleLines(content) + "\n[/data " + mark + "]"
}

// visibleLines escapes unseen characters, except line breaks and tabs. Structured output has them exact.
func visibleLines(text string) string {
	isEscaped := func(r rune) bool { return r != '\n' && r != '\t' && rawjson.IsUnseen(r) }
	if !strings.ContainsFunc(strings.ReplaceAll(text, "\r\n", "\n"), isEscaped) {
		return text
	}
	var out []byte
	for i, r := range text {
		if isEscaped(r) && !strings.HasPrefix(text[i:], "\r\n") {
			out = rawjson.AppendEscape(out, r)
		} else {
			out = append(out, string(r)...)
		}
	}
	return string(out)
}
