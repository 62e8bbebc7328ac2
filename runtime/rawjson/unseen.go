package rawjson

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// IsUnseen reports whether a character cannot be seen, or does something in place of being seen: the controls (Cc),
// which terminals obey, the format characters (Cf), which hide, join or turn what stands beside them, the tags among
// them, and the separators of lines and paragraphs (Zl, Zp). Line breaks and tabs are controls: who lays out a text
// with them excepts them.
//
// An emoji of several, such as a family, is joined by a format character (U+200D), and shows as its parts with an
// escape between them. That is accepted, since the same character hides differences between two ids.
func IsUnseen(r rune) bool {
	const lineSeparator, paragraphSeparator = '\u2028', '\u2029' // all that Zl and Zp hold
	if r <= unicode.MaxLatin1 {
		return unicode.IsControl(r) || r == '\u00ad'
	}
	return r == lineSeparator || r == paragraphSeparator || unicode.Is(unicode.Cf, r)
}

// AppendEscape appends a character as JSON escapes it: \u and four digits, twice for one beyond U+FFFF.
func AppendEscape(out []byte, r rune) []byte {
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}

// Visible is a JSON value in which every character that IsUnseen is spelled as an escape, as its strings allow. The
// value stays the same value, and takes one line.
func Visible(value []byte) string {
	if IsPrintableASCII(value) {
		return string(value)
	}
	text := string(value)
	if !strings.ContainsFunc(text, IsUnseen) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/4)
	for _, r := range text {
		switch {
		case !IsUnseen(r):
			out = append(out, string(r)...)
		case r == '\n' || r == '\r' || r == '\t': // between tokens: no JSON string holds them as they are
			out = append(out, ' ')
		default:
			out = AppendEscape(out, r)
		}
	}
	return string(out)
}
