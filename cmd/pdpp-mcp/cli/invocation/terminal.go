// Package invocation has the parts of a command line that commands share: streams, flags and environment variables, the
// provider that they choose, and exit codes.
package invocation

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Terminal is the standard streams of a command.
type Terminal struct {
	In  io.ReadCloser
	Out io.Writer
	Err io.Writer
}

// OnTerminal reports whether a stream is a terminal, and returns it as a file.
func OnTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// widthElsewhere is the width of a table in columns if standard output is not a terminal.
const widthElsewhere = 160

// Width returns the width of standard output in columns, and reports whether that is a terminal.
func (t Terminal) Width() (int, bool) { return columnsOf(t.Out) }

func columnsOf(stream any) (int, bool) {
	file, isTerminal := OnTerminal(stream)
	if isTerminal {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 20 {
			return columns, true
		}
	}
	return widthElsewhere, isTerminal
}

// HasColours reports whether standard output shows colours: a terminal that is not a dumb one, without NO_COLOR
// (https://no-color.org: any value that is not empty counts).
func (t Terminal) HasColours() bool {
	_, isTerminal := OnTerminal(t.Out)
	kind := os.Getenv("TERM")
	return isTerminal && os.Getenv("NO_COLOR") == "" && kind != "" && kind != "dumb"
}

// PrintJSON writes a value as indented JSON to standard output.
func (t Terminal) PrintJSON(value any) error {
	encoder := json.NewEncoder(t.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// PrintTable writes rows to standard output in aligned columns, each cell on one line. The first row has the headings. On a narrower
// terminal each row is a paragraph with a line for each cell.
func (t Terminal) PrintTable(rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for r := range rows {
		rows[r] = oneLineEach(rows[r])
		for i, cell := range rows[r] {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	const gap = 2
	var table strings.Builder
	widest := 0
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-Width(cell)+gap)
		}
		line = strings.TrimRight(line, " ")
		widest = max(widest, Width(line))
		table.WriteString(line + "\n")
	}
	shown := table.String()
	if columns, onTerminal := t.Width(); onTerminal && widest > columns {
		shown = paragraphs(rows, columns)
	}
	if _, err := fmt.Fprint(t.Out, shown); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

func oneLineEach(row []string) []string {
	cells := make([]string, len(row))
	for i := range row {
		cells[i] = OneLine(row[i])
	}
	return cells
}

func paragraphs(rows [][]string, columns int) string {
	var shown []string
	indent := 0
	for _, heading := range rows[0] {
		indent = max(indent, len(heading)+2)
	}
	for _, row := range rows[1:] {
		paragraph := ""
		for i, cell := range row {
			line := fmt.Sprintf("%-*s%s", indent, rows[0][i], cell)
			paragraph += strings.TrimRight(WrapLine(line, columns, strings.Repeat(" ", indent)), " ") + "\n"
		}
		shown = append(shown, paragraph)
	}
	return strings.Join(shown, "\n")
}

// obeyed reports whether a terminal would act on a character or show nothing for it. Line breaks and tabs are allowed.
func obeyed(r rune) bool { return r != '\n' && r != '\t' && rawjson.IsUnseen(r) }

// Printable replaces control and invisible characters by JSON escapes. A JSON document keeps its meaning, since it has such
// characters only inside strings.
func Printable(shown string) string {
	if !strings.ContainsFunc(shown, obeyed) {
		return strings.ToValidUTF8(shown, "\ufffd")
	}
	written := make([]byte, 0, len(shown)+len(shown)/4)
	for _, r := range shown {
		if obeyed(r) {
			written = rawjson.AppendEscape(written, r)
			continue
		}
		written = append(written, string(r)...)
	}
	return string(written)
}

// OneLine is Printable for one line: white space, line breaks too, becomes single spaces.
func OneLine(text string) string { return Printable(strings.Join(strings.Fields(text), " ")) }

// printableWriter applies Printable to each write. Writes must be whole lines, so that no character is split.
type printableWriter struct{ io.Writer }

func (w printableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Line is a line of a terminal that is rewritten in place, such as a progress line. Without a terminal it writes nothing.
type Line struct{ terminal io.Writer } // nil: silent

// NewLine returns a line on a stream, silent unless the stream is a terminal.
func NewLine(stream io.Writer) *Line {
	if file, isTerminal := OnTerminal(stream); isTerminal {
		return &Line{file}
	}
	return &Line{}
}

// Show replaces the text of the line. A text must not be shorter than the one before.
func (l *Line) Show(text string) {
	if l.terminal != nil {
		fmt.Fprint(l.terminal, "\r"+text)
	}
}

// End ends the line. Later calls do nothing.
func (l *Line) End() {
	if l.terminal != nil {
		fmt.Fprintln(l.terminal)
		l.terminal = nil
	}
}
