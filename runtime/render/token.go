// Package render turns answers of the resource server into what a model reads: a text with
// key=value tokens and continuation lines, and a structured object. Either channel is enough on its
// own (R-BUD-1), and both are bounded (R-BUD-2).
package render

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Token is one machine-readable value of a text: name="value", the value as a JSON string.
func Token(name, value string) string {
	var room [shortToken]byte
	return string(appendQuoted(append(append(room[:0], tokenName(name)...), '='), value))
}

// shortToken is how many bytes a token has room for before it takes memory of its own.
const shortToken = 128

// intToken is name=value for an integer.
func intToken(name string, value int64) string {
	return tokenName(name) + "=" + strconv.FormatInt(value, 10)
}

// boolToken is name=true or name=false.
func boolToken(name string, value bool) string {
	return tokenName(name) + "=" + strconv.FormatBool(value)
}

// RawToken is name=value with the value as the JSON that was received, on one line.
func RawToken(name string, value json.RawMessage) string {
	return tokenName(name) + "=" + rawjson.Visible(value)
}

// memberTokens are members as tokens.
func memberTokens(members rawjson.Object) string {
	tokens := make([]string, len(members))
	for i, member := range members {
		tokens[i] = RawToken(member.Name, member.Value)
	}
	return words(tokens...)
}

// words joins the tokens that are not empty.
func words(tokens ...string) string {
	kept := tokens[:0:0]
	for _, token := range tokens {
		if token != "" {
			kept = append(kept, token)
		}
	}
	return strings.Join(kept, " ")
}

// withLine has the line behind the others, unless it is empty.
func withLine(lines []string, line string) []string {
	if line == "" {
		return lines
	}
	return append(lines, line)
}

// tokenIf is a token for a value that is not empty, else nothing.
func tokenIf(name, value string) string {
	if value == "" {
		return ""
	}
	return Token(name, value)
}

// appendQuoted appends what Quoted gives.
func appendQuoted(out []byte, text string) []byte {
	start := len(out)
	out = rawjson.AppendQuote(out, text)
	if rawjson.IsPrintableASCII(out[start:]) {
		return out
	}
	return append(out[:start], rawjson.Visible(out[start:])...)
}

// Quoted is a text as a JSON string on one line, as rawjson.Visible has it.
func Quoted(text string) string {
	var room [shortToken]byte
	return string(appendQuoted(room[:0], text))
}

// tokenName writes a name so that the token can be told apart from its neighbours.
func tokenName(name string) string {
	odd := func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	if name == "" || strings.ContainsFunc(name, odd) {
		return Quoted(name)
	}
	return name
}

// ListedName is a name that came with the data in a list of names. More names stay plain than in a token:
// those of letters of any language, and URLs.
func ListedName(name string) string {
	odd := func(r rune) bool {
		return !(strings.ContainsRune("_-./:@+#~", r) || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if name == "" || strings.HasSuffix(name, ":") || strings.ContainsFunc(name, odd) {
		return Quoted(name)
	}
	return name
}

// HeadingName is ListedName for a name that begins a line and has a colon behind it: it is no word with
// which the adapter begins a line.
func HeadingName(name string) string {
	if slices.Contains([]string{"next", "warning", "source", "connector", "streams"}, name) {
		return Quoted(name)
	}
	return ListedName(name)
}
