package calling

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// progress shows the number of rows on a terminal, unless the rows themselves are printed there.
type progress struct {
	line      *invocation.Line
	rows      int
	fromStart bool // reading began at the first page, so a total applies
	total     display.Total
}

func newProgress(terminal invocation.Terminal, toFile, fromStart bool) *progress {
	made := &progress{line: &invocation.Line{}, fromStart: fromStart}
	if _, isTerminal := invocation.OnTerminal(terminal.Out); toFile || !isTerminal {
		made.line = invocation.NewLine(terminal.Err)
	}
	return made
}

// add counts the rows of a page. The total of the first page that has one applies to all pages.
func (p *progress) add(rows int, total display.Total) {
	p.rows += rows
	if p.total.Value == 0 && p.fromStart {
		p.total = total
	}
	p.line.Show(p.text())
}

// barWidth is the length of a bar. A line with it stays below 80 columns.
const barWidth = 24

func (p *progress) text() string {
	if p.total.Value <= 0 {
		return invocation.Count(p.rows, "row")
	}
	filled := min(p.rows*barWidth/p.total.Value, barWidth)
	return fmt.Sprintf("[%s%s] %d of %v rows", strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), p.rows, p.total)
}
