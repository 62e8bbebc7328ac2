package display

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// screen is where a table is shown.
type screen struct {
	columns    int
	hasColours bool // it shows colours and links
}

func screenOf(terminal invocation.Terminal) screen {
	columns, _ := terminal.Width()
	return screen{columns, terminal.HasColours()}
}

// The styles of a text, as parameters of the escape sequence SGR.
const (
	bold        = "1"
	faint       = "2"
	cyan        = "36"
	highlighted = "1;33"
)

// style adds a style where the screen has colours. The text must be Printable.
func (s screen) style(parameters, text string) string {
	if !s.hasColours || text == "" || parameters == "" {
		return text
	}
	return "\x1b[" + parameters + "m" + text + "\x1b[0m"
}

// The control characters that begin and end a highlight within a cell. Cells have no others.
const (
	beginHighlight = "\x01"
	endHighlight   = "\x02"
)

// highlight styles the highlights of a cell, or removes their marks on a screen without colours.
func (s screen) highlight(cell string) string {
	if !s.hasColours {
		return strings.NewReplacer(beginHighlight, "", endHighlight, "").Replace(cell)
	}
	if strings.Count(cell, beginHighlight) > strings.Count(cell, endHighlight) {
		cell += endHighlight // it was cut
	}
	return strings.NewReplacer(beginHighlight, "\x1b["+highlighted+"m", endHighlight, "\x1b[0m").Replace(cell)
}

// footer is lines below a table that are not data, wrapped to the screen.
func (s screen) footer(lines ...string) string {
	var shown strings.Builder
	shown.WriteString("\n")
	for _, line := range lines {
		for part := range strings.SplitSeq(invocation.WrapLine(invocation.OneLine(line), s.columns, ""), "\n") {
			shown.WriteString("\n" + s.style(faint, part))
		}
	}
	return shown.String()
}

// text wraps lines at words. The rest of an indented line is indented a little further.
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

// link makes the shown part of a cell a link if the cell is a web address.
func (s screen) link(shown, cell string) string {
	isWeb := strings.HasPrefix(cell, "https://") || strings.HasPrefix(cell, "http://")
	if !s.hasColours || !isWeb || strings.ContainsAny(cell, " \\") {
		return shown
	}
	return "\x1b]8;;" + cell + "\x1b\\" + shown + "\x1b]8;;\x1b\\"
}
