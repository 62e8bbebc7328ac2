package calling

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// progress tells a person how many rows were read. It is silent where nobody reads along, and where the rows
// themselves are to be seen.
type progress struct {
	terminal  io.Writer // nil: silent
	messages  io.Writer
	rows      int
	fromStart bool // so that rows can be compared with a total
	total     rowCount
}

// rowCount is the number of rows of all pages, as far as the resource server says it.
type rowCount struct {
	Kind  string `json:"kind"` // exact, estimated or none
	Value int    `json:"value"`
}

// readRowCount is empty where the resource server says nothing about all pages.
func readRowCount(told json.RawMessage) rowCount {
	var count rowCount
	if err := json.Unmarshal(told, &count); err != nil {
		return rowCount{}
	}
	return count
}

func newProgress(terminal invocation.Terminal) *progress {
	made := &progress{messages: terminal.Err}
	_, rowsAreSeen := invocation.Width(terminal)
	if file, ok := terminal.Err.(*os.File); ok && term.IsTerminal(int(file.Fd())) && !rowsAreSeen {
		made.terminal = file
	}
	return made
}

// add counts the rows of a page. The first total that is told stands.
func (p *progress) add(rows int, total rowCount) {
	p.rows += rows
	if p.total.Value == 0 && p.fromStart {
		p.total = total
	}
	if p.terminal != nil {
		fmt.Fprint(p.terminal, "\r"+p.line())
	}
}

// barWidth is the length of a bar in columns; with it, a line stays below 80.
const barWidth = 24

func (p *progress) line() string {
	if p.total.Value <= 0 {
		return fmt.Sprintf("%d rows", p.rows)
	}
	about := ""
	if p.total.Kind != "exact" {
		about = "about "
	}
	filled := min(p.rows*barWidth/p.total.Value, barWidth)
	return fmt.Sprintf("[%s%s] %d of %s%d rows", strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), p.rows, about, p.total.Value)
}

// done ends the line. It may be called twice.
func (p *progress) done() {
	if p.terminal != nil {
		fmt.Fprintln(p.terminal)
		p.terminal = nil
	}
}
