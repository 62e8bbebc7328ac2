package display

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// screen is where a table is shown. The zero value has no colours and no links.
type screen struct {
	Columns int
	Colours bool // escape sequences may set colours and links
}

// screenOf returns the screen of standard output.
func screenOf(terminal invocation.Terminal) screen {
	columns, _ := terminal.Width()
	return screen{Columns: columns, Colours: terminal.HasColours()}
}

// The looks of a text, as parameters of the escape sequence SGR.
const (
	bold     = "1"
	faint    = "2"
	cyan     = "36"
	striking = "1;33"
)

// look gives a text a look where the screen has colours. The text must be Printable.
func (s screen) look(parameters, text string) string {
	if !s.Colours || text == "" || parameters == "" {
		return text
	}
	return "\x1b[" + parameters + "m" + text + "\x1b[0m"
}

// Notice is a line that is not data, such as the footer of a table.
func (s screen) Notice(line string) string { return s.look(faint, line) }

// text is a text of several lines, wrapped at words. What goes on from an indented line stands below it, a little further in.
func (s screen) text(lines string) string {
	var shown []string
	for line := range strings.SplitSeq(invocation.Printable(lines), "\n") {
		hang := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if hang != "" {
			hang += "  "
		}
		shown = append(shown, invocation.WrapLine(line, s.Columns, hang))
	}
	return strings.Join(shown, "\n")
}

// link makes shown, which may be cut, a link to the web address that a cell holds. Other cells are unchanged.
func (s screen) link(shown, cell string) string {
	web := strings.HasPrefix(cell, "https://") || strings.HasPrefix(cell, "http://")
	if !s.Colours || !web || strings.ContainsAny(cell, " \\") {
		return shown
	}
	return "\x1b]8;;" + cell + "\x1b\\" + shown + "\x1b]8;;\x1b\\"
}
