package display

import (
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

type screen struct {
	columns   int
	hasStyles bool // bold and faint text
	isBare    bool // without headings and notes
}

func screenOf(terminal invocation.Terminal) screen {
	columns, _ := terminal.Width()
	return screen{columns: columns, hasStyles: terminal.HasColours()}
}

// The styles of text, as parameters of the escape sequence SGR.
const (
	bold  = "1"
	faint = "2"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9]+m")

// style styles a text that is Printable, if the screen has styles.
func (s screen) style(parameters, text string) string {
	if !s.hasStyles || text == "" {
		return text
	}
	return "\x1b[" + parameters + "m" + text + "\x1b[0m"
}

// The control characters that begin and end a highlight within a cell. Cells have no others.
const (
	beginHighlight = "\x01"
	endHighlight   = "\x02"
)

// highlight styles the highlights of a cell, or removes their marks.
func (s screen) highlight(cell string) string {
	begin, end := "", ""
	if s.hasStyles {
		begin, end = "\x1b["+bold+"m", "\x1b[0m"
	}
	if strings.Count(cell, beginHighlight) > strings.Count(cell, endHighlight) {
		cell += endHighlight // the cell was cut
	}
	return strings.NewReplacer(beginHighlight, begin, endHighlight, end).Replace(cell)
}

// footer returns the notes below a table, wrapped to the screen.
func (s screen) footer(lines ...string) string {
	if s.isBare {
		return ""
	}
	shown := "\n"
	for _, line := range lines {
		for part := range strings.SplitSeq(invocation.WrapLine(invocation.OneLine(line), s.columns, ""), "\n") {
			shown += "\n" + s.style(faint, part)
		}
	}
	return shown
}

// text wraps lines at words. Continuations of an indented line are indented further.
func (s screen) text(lines string) string {
	var shown []string
	for line := range strings.SplitSeq(invocation.Printable(lines), "\n") {
		hang := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if hang != "" {
			hang += "  "
		}
		shown = append(shown, invocation.WrapLine(line, s.columns, hang))
	}
	return strings.Join(shown, "\n")
}
