package signin

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// On a terminal the code has a frame and the last line counts down. Elsewhere all lines are plain.
func TestApprovalScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		screen := newApprovalScreen(&out)
		screen.isTerminal = true
		approval := connect.Approval{URL: "https://as.example/consent", UserCode: "A4E70A\x1b[2J", ExpiresAt: time.Now().Add(61 * time.Second)}
		screen.show(approval, time.Now())
		time.Sleep(2*time.Second + time.Millisecond) // by the fake clock of synctest
		synctest.Wait()
		screen.close()
		screen.close()
		want := []string{
			"\n    https://as.example/consent\n", "│   \x1b[1mA4E70A\\u001b[2J\x1b[0m   │\n",
			"\r" + "Waiting for the owner, 1:01 left", "\r" + "Waiting for the owner, 1:00 left", "\r" + "Waiting for the owner, 0:59 left",
		}
		at := 0
		for _, part := range want {
			found := strings.Index(out.String()[at:], part)
			if found < 0 {
				t.Fatalf("%q does not stand in %q after the others", part, out.String())
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
	if !strings.Contains(out.String(), "\n    A4E70A\n") || strings.ContainsAny(out.String(), "\r\x1b┌") {
		t.Errorf("printed %q, want plain lines", out.String())
	}
}

// A browser is started only with a display.
func TestBrowserCommand(t *testing.T) {
	tests := []struct{ system, variable, want string }{
		{"linux", "", ""},
		{"linux", "DISPLAY", "xdg-open"},
		{"freebsd", "WAYLAND_DISPLAY", "xdg-open"},
		{"darwin", "", "open"},
		{"windows", "", "rundll32"},
	}
	for _, test := range tests {
		name, _ := browserCommand(test.system, func(variable string) string {
			if variable == test.variable {
				return ":0"
			}
			return ""
		})
		if name != test.want {
			t.Errorf("%s with %q opens with %q, want %q", test.system, test.variable, name, test.want)
		}
	}
}
