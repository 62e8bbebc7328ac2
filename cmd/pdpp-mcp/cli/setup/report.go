package setup

import (
	"fmt"
	"os"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/doctor"
)

// doctorReport prints findings as they arrive, or keeps them for --json.
type doctorReport struct {
	terminal invocation.Terminal
	marks    map[doctor.State]string
	results  []doctor.Result
}

// Marks for a terminal, with colours. Elsewhere, and where colours are not wanted, the states are words.
var (
	doctorTicks = map[doctor.State]string{
		doctor.OK:      "\x1b[32m✓\x1b[0m",
		doctor.Failed:  "\x1b[31m✗\x1b[0m",
		doctor.Skipped: "\x1b[2m-\x1b[0m",
		doctor.Note:    "\x1b[33m•\x1b[0m",
	}
	doctorWords = map[doctor.State]string{
		doctor.OK: "ok     ", doctor.Failed: "failed ", doctor.Skipped: "skipped", doctor.Note: "note   ",
	}
)

func newDoctorReport(terminal invocation.Terminal) *doctorReport {
	report := &doctorReport{terminal: terminal, marks: doctorWords}
	// https://no-color.org: any value that is not empty counts.
	if _, isTerminal := invocation.OnTerminal(terminal.Out); isTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		report.marks = doctorTicks
	}
	return report
}

// titleWidth is the width of the longest title, in columns.
const titleWidth = len("Authorization server")

// print writes a line for the finding and one for its remedy. Write errors are ignored, since there is no other output.
func (r *doctorReport) print(result doctor.Result) {
	r.keep(result)
	line := strings.TrimRight(fmt.Sprintf("%s %-*s  %s", r.marks[result.State], titleWidth, result.Title, invocation.OneLine(result.Detail)), " ")
	if result.Mend != "" {
		line += "\n        run: " + invocation.OneLine(result.Mend)
	}
	_, _ = fmt.Fprintln(r.terminal.Out, line)
}

func (r *doctorReport) keep(result doctor.Result) { r.results = append(r.results, result) }

// err returns a *doctorError, or nil if no check failed.
func (r *doctorReport) err() error {
	var failures []doctor.Result
	for _, result := range r.results {
		if result.State == doctor.Failed {
			failures = append(failures, result)
		}
	}
	if failures == nil {
		return nil
	}
	return &doctorError{failed: len(failures), first: failures[0]}
}
