package display

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// document shows the title of a record and its text.
func document(screen screen, read Page) string {
	shown := screen.text(read.Text)
	if read.Title == "" {
		return shown
	}
	return screen.look(bold, invocation.OneLine(read.Title)) + "\n\n" + shown
}

// window is a part of a long text.
type window struct {
	Text  string `json:"text"`
	Start int    `json:"start_chars"`
	End   int    `json:"end_chars"`
	Total int    `json:"total_chars"`
	Next  *int   `json:"next_offset_chars"`
}

// show returns the text, and below it which part it is and how to read on.
func (w *window) show(screen screen) string {
	line := fmt.Sprintf("characters %d to %d of %d", w.Start, w.End, w.Total)
	if w.Next != nil {
		line += fmt.Sprintf("; read on with --%s %d", invocation.FlagName(tool.FieldOffsetChars), *w.Next)
	}
	return screen.text(w.Text) + footer(screen, line)
}
