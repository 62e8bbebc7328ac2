package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// doctorReport prints findings as they arrive, or collects them for --json.
type doctorReport struct {
	terminal invocation.Terminal
	marks    map[doctor.State]string
	columns  int             // of the terminal; 0 for a file or a pipe
	results  []doctor.Result // in the order of the examination, grouped by provider
}

// Coloured marks for a terminal. Without colours the states are words.
var (
	doctorTicks = map[doctor.State]string{
		doctor.OK:      "\x1b[32m✓\x1b[0m",
		doctor.Failed:  "\x1b[31m✗\x1b[0m",
		doctor.Skipped: "\x1b[2m-\x1b[0m",
		doctor.Note:    "\x1b[33m•\x1b[0m",
	}
	doctorWords = map[doctor.State]string{doctor.OK: "ok     ", doctor.Failed: "failed ", doctor.Skipped: "skipped", doctor.Note: "note   "}
)

func newDoctorReport(terminal invocation.Terminal) *doctorReport {
	report := &doctorReport{terminal: terminal, marks: doctorWords}
	if columns, onTerminal := terminal.Width(); onTerminal {
		report.columns = columns
	}
	if terminal.HasColours() {
		report.marks = doctorTicks
	}
	return report
}

const titleWidth = len("Authorization server") // the longest title

// print writes the finding and its fix, after an empty line if it is the first of the next provider. It ignores write
// errors.
func (r *doctorReport) print(result doctor.Result) {
	line := strings.TrimRight(fmt.Sprintf("%s %-*s  %s", r.marks[result.State], titleWidth, result.Title, invocation.OneLine(result.Detail)), " ")
	line = r.wrapped(line)
	switch {
	case result.Fix != "":
		line += "\n" + indent + "run: " + invocation.OneLine(result.Fix)
	case result.Advice != "":
		line += "\n" + r.wrapped(indent+invocation.OneLine(result.Advice))
	}
	r.add(result)
	if last := len(r.results) - 1; last > 0 && r.isFirst(last) && r.hasSeveral() {
		line = "\n" + line
	}
	_, _ = fmt.Fprintln(r.terminal.Out, line)
}

const indent = "        "

// wrapped breaks a line at words on a terminal. Commands are not broken, so that they can be copied.
func (r *doctorReport) wrapped(line string) string {
	if r.columns == 0 {
		return line
	}
	return invocation.WrapLine(line, r.columns, indent)
}

func (r *doctorReport) add(result doctor.Result) { r.results = append(r.results, result) }

// isFirst reports whether a result is the first one of its provider, or of this machine.
func (r *doctorReport) isFirst(i int) bool {
	return i == 0 || r.results[i].Provider != r.results[i-1].Provider
}

func (r *doctorReport) hasSeveral() bool {
	first := r.results[0].Provider
	return slices.ContainsFunc(r.results, func(other doctor.Result) bool { return other.Provider != "" && other.Provider != first })
}

func (r *doctorReport) printSummary() error {
	if !r.hasSeveral() {
		return nil
	}
	var parts []string
	for i, first := range r.results {
		if !r.isFirst(i) {
			continue
		}
		var failed []string
		for _, each := range r.results {
			if each.Provider == first.Provider && each.State == doctor.Failed {
				failed = append(failed, each.Title)
			}
		}
		switch name := cmp.Or(first.Provider, "this machine"); {
		case failed != nil:
			parts = append(parts, name+" failed "+strings.Join(failed, ", "))
		case first.Provider != "":
			parts = append(parts, name+" is fine")
		}
	}
	_, err := fmt.Fprintln(r.terminal.Out, "\n"+r.wrapped(invocation.OneLine(strings.Join(parts, "; "))))
	return err
}

// worstFirst orders the classes of failures. The worst of the providers' first failures determines the exit code.
var worstFirst = []credential.Class{credential.Refused, credential.Internal, credential.Configuration, credential.Usage, credential.Unreachable}

func (r *doctorReport) err() error {
	var failed []doctor.Result
	var class credential.Class
	for _, result := range r.results {
		if result.State != doctor.Failed {
			continue
		}
		isFirst := len(failed) == 0 || failed[len(failed)-1].Provider != result.Provider
		if len(failed) == 0 || isFirst && r.hasSeveral() && slices.Index(worstFirst, result.Class) < slices.Index(worstFirst, class) {
			class = result.Class
		}
		failed = append(failed, result)
	}
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return &credential.Error{Class: class, Message: "one check failed: " + failed[0].Title}
	}
	return &credential.Error{Class: class, Message: fmt.Sprintf("%d checks failed, first %s", len(failed), failed[0].Title)}
}

// doctorDocument is the output of --json. Members may be added; changing one breaks scripts.
type doctorDocument struct {
	ProviderURL string        `json:"provider_url"` // empty if there are several; each check then names its own
	OK          bool          `json:"ok"`
	ExitCode    int           `json:"exit_code"`
	Checks      []doctorCheck `json:"checks"`
}

type doctorCheck struct {
	doctor.Result
	ExitCode int `json:"exit_code,omitempty"` // of a failure
}

func (r *doctorReport) printJSON(passed string) error {
	only := ""
	if !r.hasSeveral() {
		only = cmp.Or(passed, r.results[0].Provider)
		if _, err := credential.ParseProviderURL(only); err != nil {
			only = "" // it may contain a password
		}
	}
	document := doctorDocument{ProviderURL: only, OK: r.err() == nil, ExitCode: invocation.ExitCode(r.err()), Checks: []doctorCheck{}}
	for _, result := range r.results {
		if !r.hasSeveral() {
			result.Provider = ""
		}
		document.Checks = append(document.Checks, doctorCheck{result, invocation.ClassCode(result.Class)})
	}
	return r.terminal.PrintJSON(document)
}
