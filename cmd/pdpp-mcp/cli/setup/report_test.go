package setup

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/doctor"
)

// On a terminal the states are coloured ticks and crosses, or words if colours are off.
func TestDoctorMarks(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // other systems have no file that is always a terminal
	}
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	for _, shown := range []struct{ noColor, term, want string }{
		{"", "xterm", "\x1b[31m✗\x1b[0m Clock"},
		{"1", "xterm", "failed  Clock"},
		{"", "dumb", "failed  Clock"},
	} {
		t.Setenv("NO_COLOR", shown.noColor)
		t.Setenv("TERM", shown.term)
		report := newDoctorReport(invocation.Terminal{Out: screen})
		var printed bytes.Buffer
		report.terminal.Out = &printed
		report.print(doctor.Result{ID: "clock", Title: "Clock", Finding: doctor.Finding{State: doctor.Failed}})
		if !strings.HasPrefix(printed.String(), shown.want) {
			t.Errorf("%+v: %q", shown, printed.String())
		}
	}
}

// A provider's text can neither control the terminal nor imitate a line of the doctor.
func TestDoctorLinesAreTheDoctors(t *testing.T) {
	var printed bytes.Buffer
	report := newDoctorReport(invocation.Terminal{Out: &printed})
	report.print(doctor.Result{ID: "schema", Title: "Schema", Finding: doctor.Finding{
		State: doctor.Failed, Class: credential.Unreachable,
		Detail: "bad\nok      Credential  \x1b[2J", Mend: "curl -s 'x\r\x1b]0;y\a'",
	}})
	const want = "failed  Schema                bad ok Credential \\u001b[2J\n        run: curl -s 'x \\u001b]0;y\\u0007'\n"
	if printed.String() != want {
		t.Errorf("printed %q, want %q", printed.String(), want)
	}
}
