// Package render turns answers of the resource server into what a model reads: a text with
// key=value tokens and continuation lines, and a structured object. Either channel is enough on its
// own (R-BUD-1), and both are bounded (R-BUD-2).
package render

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Token is one machine-readable value of a text: name="value", the value as a JSON string.
func Token(name, value string) string {
	var room [shortToken]byte
	return string(appendQuoted(append(append(room[:0], tokenName(name)...), '='), value))
}

// shortToken is how many bytes a token has room for before it takes memory of its own.
const shortToken = 128

// IntToken is name=value for an integer.
func IntToken(name string, value int64) string {
	return tokenName(name) + "=" + strconv.FormatInt(value, 10)
}

// BoolToken is name=true or name=false.
func BoolToken(name string, value bool) string {
	return tokenName(name) + "=" + strconv.FormatBool(value)
}

// RawToken is name=value with the value as the JSON that was received, on one line.
func RawToken(name string, value json.RawMessage) string {
	return tokenName(name) + "=" + Visible(value)
}

// line joins the tokens that are not empty.
func line(tokens ...string) string {
	kept := tokens[:0:0]
	for _, token := range tokens {
		if token != "" {
			kept = append(kept, token)
		}
	}
	return strings.Join(kept, " ")
}

// tokenIf is a token for a value that is not empty, else nothing.
func tokenIf(name, value string) string {
	if value == "" {
		return ""
	}
	return Token(name, value)
}
