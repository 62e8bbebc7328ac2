package office

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// runProperties returns the mark of a run, and the style that determines it if the run has no mark itself.
func (n node) runProperties() (mark, style string) {
	mark = baselineMark(n.attribute("baseline"))
	for child := range n.content() {
		switch child.name {
		case "vertAlign":
			mark = baselineMark(child.attribute("val"))
		case "rStyle":
			style = child.attribute("val")
		}
	}
	return mark, style
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
