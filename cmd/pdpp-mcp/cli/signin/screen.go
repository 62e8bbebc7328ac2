package signin

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

// approvalScreen shows the link and the code for an approval, and on a terminal the remaining time.
type approvalScreen struct {
	out        io.Writer
	isTerminal bool

	stop     chan struct{}
	counting sync.WaitGroup
}

func newApprovalScreen(out io.Writer) *approvalScreen {
	_, isTerminal := invocation.Terminal{Out: out}.Width()
	return &approvalScreen{out: out, isTerminal: isTerminal, stop: make(chan struct{})}
}

// show prints the link, the code, the deadline and hints that the page does not have. It is called once.
func (s *approvalScreen) show(approval connect.Approval, now time.Time) {
	fmt.Fprintf(s.out, "\nTo approve the access, open this link:\n\n    %s\n\n", invocation.Printable(approval.URL))
	if approval.OnThisMachine {
		fmt.Fprint(s.out, "Open it in a browser on this machine: the page returns to this program.\n\n")
	}
	switch {
	case approval.OwnerChooses: // an approval of several connections returns a package token, which connect refuses
		fmt.Fprint(s.out, "Approve one connection; run connect again for the next one.\n\n")
	case approval.OmitsConnection: // otherwise the page fails, and only the owner sees why (867c)
		fmt.Fprint(s.out, "No connection was named. If the page says that it needs exactly one, stop here and pass\n"+
			"--connection <id>, as the provider shows it to its owner.\n\n")
	}
	if code := invocation.Printable(approval.UserCode); code != "" {
		fmt.Fprintf(s.out, "Check that the page shows this code, or enter it there:\n\n    %s\n\n", code)
	}
	if !s.isTerminal {
		fmt.Fprintf(s.out, "Waiting for the owner until %s.\n", approval.ExpiresAt.Format(time.RFC3339))
		return
	}
	s.counting.Go(func() { s.countDown(approval.ExpiresAt, now) })
}

func (s *approvalScreen) countDown(deadline, now time.Time) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		left := max(deadline.Sub(now), 0).Round(time.Second)
		fmt.Fprintf(s.out, "\rWaiting for the owner, %d:%02d left (Ctrl-C to stop) \x1b[K", int(left.Minutes()), int(left.Seconds())%60)
		select {
		case <-s.stop:
			fmt.Fprintln(s.out)
			return
		case now = <-ticker.C:
		}
	}
}

// close ends the countdown's line.
func (s *approvalScreen) close() {
	close(s.stop)
	s.counting.Wait()
}
