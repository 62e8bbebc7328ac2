package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/doctor"
)

// doctorReport prints findings as they arrive, or collects them for --json.
type doctorReport struct {
	terminal invocation.Terminal
	marks    map[doctor.State]string
	columns  int       // of the terminal; 0 for a file or a pipe
	outcomes []outcome // in the order of the examination
}

// Coloured marks for a terminal. Without colours the states are words.
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
	if columns, onTerminal := terminal.Width(); onTerminal {
		report.columns = columns
	}
	if terminal.HasColours() {
		report.marks = doctorTicks
	}
	return report
}

const titleWidth = len("Authorization server") // the longest title

// print writes the finding and its fix, after an empty line if it is the first of another provider. It ignores write errors.
func (r *doctorReport) print(result doctor.Result) {
	line := strings.TrimRight(fmt.Sprintf("%s %-*s  %s", r.marks[result.State], titleWidth, result.Title, invocation.OneLine(result.Detail)), " ")
	line = r.wrapped(line)
	switch {
	case result.Fix != "":
		line += "\n" + indent + "run: " + invocation.OneLine(result.Fix)
	case result.Advice != "":
		line += "\n" + r.wrapped(indent+invocation.OneLine(result.Advice))
	}
	before := len(r.outcomes)
	if r.add(result); before > 0 && len(r.outcomes) > before && r.hasSeveral() {
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

type outcome struct {
	provider string // empty: this machine
	results  []doctor.Result
	failed   []string         // titles
	class    credential.Class // of the first failure
}

func (r *doctorReport) add(result doctor.Result) {
	last := len(r.outcomes) - 1
	if last < 0 || r.outcomes[last].provider != result.Provider {
		r.outcomes = append(r.outcomes, outcome{provider: result.Provider})
		last++
	}
	current := &r.outcomes[last]
	current.results = append(current.results, result)
	if result.State == doctor.Failed {
		current.failed, current.class = append(current.failed, result.Title), cmp.Or(current.class, result.Class)
	}
}

func (r *doctorReport) hasSeveral() bool {
	return len(r.outcomes) > 1 && r.outcomes[1].provider != ""
}

func (r *doctorReport) printSummary() error {
	if !r.hasSeveral() {
		return nil
	}
	var parts []string
	for _, each := range r.outcomes {
		switch name := cmp.Or(each.provider, "this machine"); {
		case each.failed != nil:
			parts = append(parts, name+" failed "+strings.Join(each.failed, ", "))
		case each.provider != "":
			parts = append(parts, name+" is fine")
		}
	}
	_, err := fmt.Fprintln(r.terminal.Out, "\n"+r.wrapped(invocation.OneLine(strings.Join(parts, "; "))))
	return err
}

// The worst failure of several providers determines the exit code.
var worstFirst = []credential.Class{credential.Refused, credential.Internal, credential.Configuration, credential.Usage, credential.Unreachable}

func (r *doctorReport) err() error {
	failed, first, class := 0, "", credential.Class("")
	for _, each := range r.outcomes {
		if each.failed == nil {
			continue
		}
		if failed == 0 || r.hasSeveral() && slices.Index(worstFirst, each.class) < slices.Index(worstFirst, class) {
			class = each.class
		}
		first = cmp.Or(first, each.failed[0])
		failed += len(each.failed)
	}
	switch failed {
	case 0:
		return nil
	case 1:
		return &credential.Error{Class: class, Message: "one check failed: " + first}
	}
	return &credential.Error{Class: class, Message: fmt.Sprintf("%d checks failed, first %s", failed, first)}
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
		only = cmp.Or(passed, r.outcomes[0].provider)
		if _, err := credential.ParseProviderURL(only); err != nil {
			only = "" // it may contain a password
		}
	}
	document := doctorDocument{ProviderURL: only, OK: r.err() == nil, ExitCode: invocation.ExitCode(r.err()), Checks: []doctorCheck{}}
	for _, each := range r.outcomes {
		for _, result := range each.results {
			if !r.hasSeveral() {
				result.Provider = ""
			}
			document.Checks = append(document.Checks, doctorCheck{result, invocation.ClassCode(result.Class)})
		}
	}
	return r.terminal.PrintJSON(document)
}
