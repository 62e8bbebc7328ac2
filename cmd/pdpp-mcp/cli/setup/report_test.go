package setup

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
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

// A provider's text can neither control the terminal nor imitate a line of doctor.
func TestDoctorEscapesProviderText(t *testing.T) {
	var printed bytes.Buffer
	report := newDoctorReport(invocation.Terminal{Out: &printed})
	report.print(doctor.Result{ID: "schema", Title: "Schema", Finding: doctor.Finding{
		State: doctor.Failed, Class: credential.Unreachable,
		Detail: "bad\nok      Credential  \x1b[2J", Fix: "curl -s 'x\r\x1b]0;y\a'",
	}})
	const want = "failed  Schema                bad ok Credential \\u001b[2J\n        run: curl -s 'x " +
		"\\u001b]0;y\\u0007'\n"
	if printed.String() != want {
		t.Errorf("printed %q, want %q", printed.String(), want)
	}
}

// An empty line separates several providers, and the last line summarizes them. The exit code is the worst of all
// providers; each provider counts with its first failure.
func TestDoctorReportsSeveralProviders(t *testing.T) {
	checked := func(provider, id string, class credential.Class) doctor.Result {
		state := doctor.OK
		if class != "" {
			state = doctor.Failed
		}
		return doctor.Result{
			Provider: provider, ID: id, Title: id,
			Finding: doctor.Finding{State: state, Class: class, Detail: "found"},
		}
	}
	for name, test := range map[string]struct {
		results []doctor.Result
		exit    int
		printed string
	}{
		"the worst": {
			[]doctor.Result{
				checked("https://a.example", "connection", credential.Unreachable),
				checked("https://a.example", "clock", credential.Configuration),
				checked("https://b.example", "connection", ""), checked("https://c.example", "schema", credential.Configuration),
				checked("", "environment", ""),
			},
			78,
			"failed  connection            found\nfailed  clock                 found\n\nok      connection            found\n\n" +
				"failed  schema                found\n\nok      environment           found\n\n" +
				"https://a.example failed connection, clock; https://b.example is fine; https://c.example failed schema\n",
		},
		"one": {
			[]doctor.Result{
				checked("https://a.example", "connection", credential.Unreachable),
				checked("", "environment", credential.Refused),
			},
			69,
			"failed  connection            found\nfailed  environment           found\n",
		},
		"well": {
			[]doctor.Result{checked("https://a.example", "connection", ""), checked("https://b.example", "connection", "")},
			0,
			"ok      connection            found\n\nok      connection            found\n\nhttps://a.example is fine; " +
				"https://b.example is fine\n",
		},
	} {
		var printed bytes.Buffer
		report := newDoctorReport(invocation.Terminal{Out: &printed})
		for _, result := range test.results {
			report.print(result)
		}
		if err := report.printSummary(); err != nil {
			t.Fatal(err)
		}
		if exit := invocation.ExitCode(report.err()); exit != test.exit || printed.String() != test.printed {
			t.Errorf("%s exits %d and prints\n%s\nwant %d and\n%s", name, exit, printed.String(), test.exit, test.printed)
		}
	}
}

// At 60 columns lines break between words, and a command stays whole.
func TestDoctorWrapsAtWords(t *testing.T) {
	var printed bytes.Buffer
	report := newDoctorReport(invocation.Terminal{Out: &printed})
	report.columns = 60
	report.print(doctor.Result{Title: "Connection", Finding: doctor.Finding{
		State: doctor.Failed, Class: credential.Unreachable, Detail: "data.example:443 cannot be reached: connection refused",
		Advice: "check that the provider is running and that this machine can reach it",
	}})
	report.print(doctor.Result{
		Title:   "Clock",
		Finding: doctor.Finding{State: doctor.Note, Detail: "found", Fix: strings.Repeat("a-long-command ", 6)},
	})
	const want = "failed  Connection            data.example:443 cannot be\n        reached: connection refused\n" +
		"        check that the provider is running and that this\n        machine can reach it\n" +
		"note    Clock                 found\n        run: a-long-command a-long-command a-long-command a-long-command " +
		"a-long-command a-long-command\n"
	if printed.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", printed.String(), want)
	}
}
