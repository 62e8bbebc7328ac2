package signin

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
)

// On a terminal the last line counts down. Otherwise all lines are plain.
func TestApprovalScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		screen := newApprovalScreen(&out)
		screen.isTerminal = true
		approval := connect.Approval{
			URL: "https://as.example/consent", UserCode: "A4E70A\x1b[2J",
			ExpiresAt: time.Now().Add(61 * time.Second),
		}
		screen.show(approval, time.Now())
		time.Sleep(2*time.Second + time.Millisecond) // by the fake clock of synctest
		synctest.Wait()
		screen.close()
		want := []string{
			"\n    https://as.example/consent\n", "\n    A4E70A\\u001b[2J\n",
			"\r" + "Waiting for the owner, 1:01 left", "\r" + "Waiting for the owner, 1:00 left",
			"\r" + "Waiting for the owner, 0:59 left",
		}
		at := 0
		for _, part := range want {
			found := strings.Index(out.String()[at:], part)
			if found < 0 {
				t.Fatalf("%q is missing in %q after the others", part, out.String())
			}
			at += found + len(part)
		}
		if !strings.HasSuffix(out.String(), "\n") {
			t.Error("the line of the countdown was not ended")
		}
	})
	var out bytes.Buffer
	screen := newApprovalScreen(&out)
	screen.show(connect.Approval{URL: "https://as.example/consent", UserCode: "A4E70A"}, time.Time{})
	screen.close()
	if !strings.Contains(out.String(), "\n    A4E70A\n") || strings.ContainsAny(out.String(), "\r\x1b#") {
		t.Errorf("printed %q, want plain lines", out.String())
	}
}

// The screen shows the hints that the page does not.
func TestApprovalScreenHints(t *testing.T) {
	for hint, approval := range map[string]connect.Approval{
		"Approve one connection; run connect again": {OwnerChooses: true},
		"pass\n--connection <id>":                   {OmitsConnection: true},
		"in a browser on this machine":              {OnThisMachine: true},
	} {
		var out bytes.Buffer
		newApprovalScreen(&out).show(approval, time.Time{})
		if got := strings.Count(out.String(), "\n\n"); !strings.Contains(out.String(), hint) || got != 3 {
			t.Errorf("printed %q, want %q and nothing else", out.String(), hint)
		}
	}
}
