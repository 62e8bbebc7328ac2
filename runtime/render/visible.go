package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Visible is a JSON value in which every character that a reader cannot see, or that moves what is seen,
// is spelled as an escape: the controls beyond ASCII, which some terminals obey, the line separators of
// Unicode, the marks that turn the direction of writing, and the invisible tag characters. The value
// stays the same value, and takes one line.
func Visible(value json.RawMessage) string {
	if rawjson.IsPrintableASCII(value) {
		return string(value)
	}
	text := string(value)
	if strings.IndexFunc(text, isUnseen) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch {
		case !isUnseen(r):
			out.WriteRune(r)
		case r == '\n' || r == '\r' || r == '\t': // between tokens: no JSON string holds them as they are
			out.WriteByte(' ')
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		}
	}
	return out.String()
}

// appendVisible appends what Visible gives.
func appendVisible(out []byte, value json.RawMessage) []byte {
	if rawjson.IsPrintableASCII(value) {
		return append(out, value...)
	}
	return append(out, Visible(value)...)
}

// appendQuoted appends what Quoted gives.
func appendQuoted(out []byte, text string) []byte {
	start := len(out)
	out = rawjson.AppendQuote(out, text)
	if rawjson.IsPrintableASCII(out[start:]) {
		return out
	}
	return append(out[:start], Visible(out[start:])...)
}

// Quoted is a text as a JSON string on one line, as Visible has it.
func Quoted(text string) string {
	var room [shortToken]byte
	return string(appendQuoted(room[:0], text))
}

func isUnseen(r rune) bool {
	const firstTag, lastTag = '\U000E0000', '\U000E007F'
	return r < ' ' || r >= 0x7f && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		unicode.Is(unicode.Bidi_Control, r) || firstTag <= r && r <= lastTag)
}
