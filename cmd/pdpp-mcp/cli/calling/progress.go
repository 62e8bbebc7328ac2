package calling

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// progress shows on a terminal how many rows were read, unless the rows themselves are printed on one.
type progress struct {
	line      *invocation.Line
	rows      int
	fromStart bool          // reading began at the first page, so a total applies
	total     display.Count // of the rows of all pages
}

func newProgress(terminal invocation.Terminal, fromStart bool) *progress {
	made := &progress{line: &invocation.Line{}, fromStart: fromStart}
	if _, rowsAreSeen := invocation.OnTerminal(terminal.Out); !rowsAreSeen {
		made.line = invocation.NewLine(terminal.Err)
	}
	return made
}

// add counts the rows of a page. The first total that a page gives is kept.
func (p *progress) add(rows int, told json.RawMessage) {
	p.rows += rows
	if p.total.Value == 0 && p.fromStart {
		var total display.Count
		if json.Unmarshal(told, &total) == nil {
			p.total = total
		}
	}
	p.line.Show(p.text())
}

// barWidth is the length of a bar in columns; with it, a line stays below 80.
const barWidth = 24

func (p *progress) text() string {
	if p.total.Value <= 0 {
		return fmt.Sprintf("%d rows", p.rows)
	}
	filled := min(p.rows*barWidth/p.total.Value, barWidth)
	return fmt.Sprintf("[%s%s] %d of %v rows", strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), p.rows, p.total)
}
