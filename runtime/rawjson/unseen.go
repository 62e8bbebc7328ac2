package rawjson

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// IsUnseen reports whether a character is invisible or controls how others are shown: the control characters (Cc) with line breaks and
// tabs, the format characters (Cf), and the separators of lines and paragraphs (Zl, Zp).
//
// The zero-width joiner of emoji such as a family is one of them, since it can also hide a difference between two ids.
func IsUnseen(r rune) bool {
	const lineSeparator, paragraphSeparator = '\u2028', '\u2029' // the only characters of Zl and Zp
	if r <= unicode.MaxLatin1 {
		return unicode.IsControl(r) || r == '\u00ad'
	}
	return r == lineSeparator || r == paragraphSeparator || unicode.Is(unicode.Cf, r)
}

// AppendEscape appends the JSON escape of a character: \u and four digits, twice for one beyond U+FFFF.
func AppendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return AppendEscape(AppendEscape(out, high), low)
	}
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// Visible returns a JSON value on one line, with every character that IsUnseen as an escape. It is the same value.
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
		case r == '\n' || r == '\r' || r == '\t': // between tokens, since JSON strings cannot hold them unescaped
			out = append(out, ' ')
		default:
			out = AppendEscape(out, r)
		}
	}
	return string(out)
}
