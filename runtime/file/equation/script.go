package equation

import (
	"strings"
	"unicode"
)

// The marks of superscripts and subscripts, such as 10^5.
const (
	Superscript = "^"
	Subscript   = "_"
)

// Script returns a text with its mark, in parentheses unless it is one word or number. Text without letters and digits, such as ®, has no
// mark.
func Script(mark, text string) string {
	inner := strings.TrimSpace(text)
	if !strings.ContainsFunc(inner, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return text
	}
	before, after, _ := strings.Cut(text, inner)
	return before + mark + Group(inner) + after
}
