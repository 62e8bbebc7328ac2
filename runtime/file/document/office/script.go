package office

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// scriptMark returns the mark that the properties of a run give it, or nothing.
func (n node) scriptMark() string {
	mark := baselineMark(n.attribute("baseline"))
	for child := range n.content() {
		if child.name == "vertAlign" {
			mark = map[string]string{"superscript": equation.Superscript, "subscript": equation.Subscript}[child.attribute("val")]
		}
	}
	return mark
}

// baselineMark returns the mark of a shift of the baseline in percent, or of the word super or sub.
func baselineMark(shift string) string {
	switch {
	case strings.HasPrefix(shift, "-"), strings.HasPrefix(shift, "sub"):
		return equation.Subscript
	case shift != "" && shift[0] >= '1' && shift[0] <= '9', strings.HasPrefix(shift, "super"):
		return equation.Superscript
	}
	return ""
}
