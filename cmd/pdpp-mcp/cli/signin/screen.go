package signin

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// openBrowser opens a page in the browser of this machine, if there is a display. The page must be a checked http or https
// URL. Failures are ignored, since the link has been printed.
func openBrowser(page string) {
	name, arguments := browserCommand(runtime.GOOS, os.Getenv)
	if name == "" {
		return
	}
	// Not bound to a context, since the browser outlives the sign-in. Its messages are dropped: they would break the screen.
	command := exec.Command(name, append(arguments, page)...)
	if err := command.Start(); err == nil {
		go func() { _ = command.Wait() }()
	}
}

// browserCommand returns the program that opens a page, with its arguments. The name is empty without a display.
func browserCommand(system string, getenv func(string) string) (string, []string) {
	switch system {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}

// approvalScreen shows the link and the code for an approval, and on a terminal the time left.
type approvalScreen struct {
	out        io.Writer
	isTerminal bool
	columns    int // of the terminal

	once    sync.Once
	stop    chan struct{}
	stopped chan struct{} // nil when no countdown runs
}

func newApprovalScreen(out io.Writer) *approvalScreen {
	columns, isTerminal := invocation.Terminal{Out: out}.Width()
	return &approvalScreen{out: out, isTerminal: isTerminal, columns: columns, stop: make(chan struct{})}
}

// show prints the link, the code and the deadline, and what a person cannot see on the page. It is called once.
func (s *approvalScreen) show(approval connect.Approval, now time.Time) {
	fmt.Fprintf(s.out, "\nTo approve the access, open this link:\n\n    %s\n\n", invocation.Printable(approval.URL))
	if approval.OnThisMachine {
		fmt.Fprint(s.out, "Open it in a browser of this machine, to which the page leads back.\n\n")
	}
	switch {
	case approval.OwnerChooses: // several connections give a package token, which connect refuses
		fmt.Fprint(s.out, "One connection can be approved at a time; connect again for the next.\n\n")
	case approval.OmitsConnection: // the page then fails, and the authorization server tells only the owner (867c)
		fmt.Fprint(s.out, "No connection was named. If the page says that this needs exactly one, stop here and pass\n"+
			"--connection <id>, as the provider shows it to its owner.\n\n")
	}
	if code := invocation.Printable(approval.UserCode); code != "" {
		fmt.Fprintf(s.out, "and check that the page shows this code, or type it in:\n\n%s    %s\n\n", s.lettered(code), code)
	}
	if !s.isTerminal {
		fmt.Fprintf(s.out, "Waiting for the owner until %s.\n", approval.ExpiresAt.Format(time.RFC3339))
		return
	}
	s.stopped = make(chan struct{})
	go s.count(approval.ExpiresAt, now)
}

// lettered draws the code in large on a terminal, or spells it out where that does not fit. Below it stands the code to
// select and copy.
func (s *approvalScreen) lettered(code string) string {
	if !s.isTerminal {
		return ""
	}
	drawn := large(code, "    ", s.columns)
	if drawn == "" {
		drawn = "    " + strings.Join(strings.Split(code, ""), "  ") + "\n"
	}
	return drawn + "\n"
}

// count rewrites the last line every second until close.
func (s *approvalScreen) count(until, now time.Time) {
	defer close(s.stopped)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		fmt.Fprintf(s.out, "\r%s\x1b[K", remaining(until.Sub(now)))
		select {
		case <-s.stop:
			fmt.Fprintln(s.out)
			return
		case now = <-ticker.C:
		}
	}
}

func remaining(left time.Duration) string {
	left = max(left, 0).Round(time.Second)
	return fmt.Sprintf("Waiting for the owner, %d:%02d left (Ctrl-C to stop) ", int(left.Minutes()), int(left.Seconds())%60)
}

// close ends the line, so that what is printed next begins a new one. It may be called twice.
func (s *approvalScreen) close() {
	s.once.Do(func() {
		close(s.stop)
		if s.stopped != nil {
			<-s.stopped
		}
	})
}
