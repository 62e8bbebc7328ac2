package equation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The marks of superscripts and subscripts, such as 10^5.
const (
	Superscript = "^"
	Subscript   = "_"
)

// Script returns a text with its mark, in parentheses unless it is one word or number. Text without letters and digits,
// such as ®, has no mark.
func Script(mark, text string) string {
	inner := strings.TrimSpace(text)
	if !strings.ContainsFunc(inner, isWordRune) {
		return text
	}
	before, after, _ := strings.Cut(text, inner)
	return before + mark + Group(inner) + after
}

// Separator returns the space that keeps a superscript, a subscript or an equation apart from the text after it, or
// nothing.
func Separator(mark, next string) string {
	first, _ := utf8.DecodeRuneInString(next)
	if unicode.IsDigit(first) || mark != Subscript && unicode.IsLetter(first) {
		return " "
	}
	return ""
}
