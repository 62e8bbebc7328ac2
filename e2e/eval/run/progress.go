package run

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/question"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// Progress shows how far a run is: a bar that is redrawn on a terminal, otherwise a line for each tenth.
type Progress struct {
	Out      io.Writer
	Terminal bool

	total, done, right, failed int
	shownTenth                 int
	started                    time.Time
}

func (p *Progress) count(attempt transcript.Attempt) {
	if attempt.Failure != "" {
		p.failed++
		return
	}
	p.done++
	if attempt.Verdict == string(question.Right) {
		p.right++
	}
}

// barWidth is the number of characters of the bar.
const barWidth = 30

func (p *Progress) show(dollars float64) {
	if p.Out == nil || p.total == 0 {
		return
	}
	if p.started.IsZero() {
		p.started = time.Now()
	}
	text := fmt.Sprintf("%d/%d, %d right", p.done, p.total, p.right)
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	if dollars > 0 {
		text += fmt.Sprintf(", $%.2f", dollars)
	}
	if p.Terminal {
		filled := barWidth * p.done / p.total
		fmt.Fprintf(p.Out, "\r[%s%s] %s, %s  ", strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), text,
			time.Since(p.started).Round(time.Second))
	} else if tenth := 10 * p.done / p.total; tenth > p.shownTenth {
		p.shownTenth = tenth
		fmt.Fprintln(p.Out, text)
	}
}

// end leaves the bar's line.
func (p *Progress) end() {
	if p.Out != nil && p.Terminal {
		fmt.Fprintln(p.Out)
	}
}
