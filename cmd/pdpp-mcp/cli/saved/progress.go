package saved

import (
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// progress shows the bytes received so far on a terminal.
type progress struct {
	line          *invocation.Line
	received, all int64 // bytes; all is -1 when unknown
	shown         time.Time
}

func (p *progress) begin(offset, size int64) { p.received, p.all = offset, size }

// Write counts a part and shows the count at most ten times a second.
func (p *progress) Write(part []byte) (int, error) {
	p.received += int64(len(part))
	if now := time.Now(); now.Sub(p.shown) >= 100*time.Millisecond {
		p.shown = now
		p.show()
	}
	return len(part), nil
}

func (p *progress) show() {
	if p.all > 0 {
		p.line.Show(fmt.Sprintf("%d of %d bytes (%d %%)", p.received, p.all, 100*p.received/p.all))
		return
	}
	p.line.Show(fmt.Sprintf("%d bytes", p.received))
}

// end shows the last count and ends the line.
func (p *progress) end() {
	p.show()
	p.line.End()
}
