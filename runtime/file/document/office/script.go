package office

import (
	"strings"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// The marks of superscripts and subscripts, such as 10^5.
const (
	superscript = "^"
	subscript   = "_"
)

// scriptMark returns the mark that the properties of a run give it, or nothing.
func (n node) scriptMark() string {
	mark := baselineMark(n.attribute("baseline"))
	for child := range n.content() {
		if child.name == "vertAlign" {
			mark = map[string]string{"superscript": superscript, "subscript": subscript}[child.attribute("val")]
		}
	}
	return mark
}

// baselineMark returns the mark of a shift of the baseline in percent, or of the word super or sub.
func baselineMark(shift string) string {
	switch {
	case strings.HasPrefix(shift, "-"), strings.HasPrefix(shift, "sub"):
		return subscript
	case shift != "" && shift[0] >= '1' && shift[0] <= '9', strings.HasPrefix(shift, "super"):
		return superscript
	}
	return ""
}

// scripted returns a text with its mark, in parentheses unless it is one word or number. Other characters, such as ®, have no mark.
func scripted(mark, text string) string {
	inner := strings.TrimSpace(text)
	if mark == "" || !strings.ContainsFunc(inner, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return text
	}
	before, after, _ := strings.Cut(text, inner)
	return before + mark + equation.Group(inner) + after
}
