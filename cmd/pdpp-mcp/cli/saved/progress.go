package saved

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// byteProgress shows on a terminal how far a download is, and is silent elsewhere.
type byteProgress struct {
	out           io.Writer // nil: silent
	received, all int64     // bytes; all is -1 when unknown
	shown         time.Time
}

func NewByteProgress(out io.Writer) *byteProgress {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &byteProgress{out: file}
	}
	return &byteProgress{}
}

func (p *byteProgress) begin(offset, size int64) { p.received, p.all = offset, size }

// add shows the count ten times a second at most.
func (p *byteProgress) add(count int) {
	p.received += int64(count)
	if now := time.Now(); p.out != nil && now.Sub(p.shown) >= 100*time.Millisecond {
		p.shown = now
		p.show()
	}
}

func (p *byteProgress) show() {
	if p.all > 0 {
		fmt.Fprintf(p.out, "\r%d of %d bytes (%d %%)", p.received, p.all, 100*p.received/p.all)
		return
	}
	fmt.Fprintf(p.out, "\r%d bytes", p.received)
}

// Done ends the line.
func (p *byteProgress) Done() {
	if p.out != nil {
		p.show()
		fmt.Fprintln(p.out)
	}
}
