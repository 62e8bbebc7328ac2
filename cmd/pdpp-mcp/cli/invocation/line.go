package invocation

import (
	"fmt"
	"io"
)

// Line is a line of a terminal that is written over and over, such as how far a reading is. Elsewhere it is silent.
type Line struct{ terminal io.Writer } // nil: silent

// NewLine is a line on a stream, if that is a terminal.
func NewLine(stream io.Writer) *Line {
	if file, isTerminal := OnTerminal(stream); isTerminal {
		return &Line{file}
	}
	return &Line{}
}

// Shown reports whether somebody sees the line.
func (l *Line) Shown() bool { return l.terminal != nil }

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
