package saved

import (
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

type progress struct {
	line            *invocation.Line
	received, total int64 // bytes; total is -1 if unknown
	shown           time.Time
}

// Write counts bytes and shows the count up to ten times a second.
func (p *progress) Write(bytes []byte) (int, error) {
	p.received += int64(len(bytes))
	if now := time.Now(); now.Sub(p.shown) >= 100*time.Millisecond {
		p.shown = now
		p.show()
	}
	return len(bytes), nil
}

func (p *progress) show() {
	if p.total > 0 {
		p.line.Show(fmt.Sprintf("%d of %d bytes (%d %%)", p.received, p.total, 100*p.received/p.total))
		return
	}
	p.line.Show(fmt.Sprintf("%d bytes", p.received))
}

func (p *progress) end() {
	p.show()
	p.line.End()
}
