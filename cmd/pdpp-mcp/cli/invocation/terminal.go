// Package invocation holds what one run of the program was given and gives back: its streams, flags and variables, the provider
// that they name, and the exit code.
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

// Terminal is what a command talks through.
type Terminal struct {
	In  io.ReadCloser
	Out io.Writer
	Err io.Writer
}

// OnTerminal reports whether a stream is a terminal, and gives it.
func OnTerminal(stream any) (*os.File, bool) {
	file, ok := stream.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// widthElsewhere is the width of a table that is written to no terminal, in columns.
const widthElsewhere = 160

// Width is the width of standard output in columns, and reports whether that is a terminal.
func (t Terminal) Width() (int, bool) {
	file, isTerminal := OnTerminal(t.Out)
	if isTerminal {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 20 {
			return columns, true
		}
	}
	return widthElsewhere, isTerminal
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

// obeyed reports whether a terminal would act on a character in place of showing it, or would show nothing. Line breaks
// and tabs lay out what is shown.
func obeyed(r rune) bool { return r != '\n' && r != '\t' && rawjson.IsUnseen(r) }

// Printable writes what a terminal would obey as escapes of JSON, so that a person sees them and JSON says the same: outside
// of strings JSON has no such characters.
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

// OneLine cannot command the terminal, nor pass for another line.
func OneLine(text string) string { return Printable(strings.Join(strings.Fields(text), " ")) }

// printableWriter passes on what is printable. Each write is whole lines, so that no character comes in two.
type printableWriter struct{ io.Writer }

func (w printableWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Line is a line of a terminal that is written over and over, such as how far a reading is. Elsewhere it is silent.
type Line struct{ terminal io.Writer } // nil: silent

// NewLine is a line on a stream, if that is a terminal.
func NewLine(stream io.Writer) *Line {
	if file, isTerminal := OnTerminal(stream); isTerminal {
		return &Line{file}
	}
	return &Line{}
}

// Show puts a text in place of the last one, which was no longer.
func (l *Line) Show(text string) {
	if l.terminal != nil {
		fmt.Fprint(l.terminal, "\r"+text)
	}
}

// End ends the line. What is shown or ended afterwards is not seen.
func (l *Line) End() {
	if l.terminal != nil {
		fmt.Fprintln(l.terminal)
		l.terminal = nil
	}
}
