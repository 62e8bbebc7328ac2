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

// doctorReport prints findings as they arrive, or keeps them for --json.
type doctorReport struct {
	terminal invocation.Terminal
	marks    map[doctor.State]string
	columns  int       // of the terminal; 0 for a file or a pipe
	outcomes []outcome // in the order of the examination
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
	if columns, onTerminal := terminal.Width(); onTerminal {
		report.columns = columns
	}
	if terminal.HasColours() {
		report.marks = doctorTicks
	}
	return report
}

// titleWidth is the width of the longest title, in columns.
const titleWidth = len("Authorization server")

// print writes a line for the finding and one for its remedy, and an empty one before what is of another provider. Write errors
// are ignored, since there is no other output.
func (r *doctorReport) print(result doctor.Result) {
	line := strings.TrimRight(fmt.Sprintf("%s %-*s  %s", r.marks[result.State], titleWidth, result.Title, invocation.OneLine(result.Detail)), " ")
	line = r.wrapped(line)
	switch {
	case result.Mend != "":
		line += "\n" + hang + "run: " + invocation.OneLine(result.Mend)
	case result.Advice != "":
		line += "\n" + r.wrapped(hang+invocation.OneLine(result.Advice))
	}
	before := len(r.outcomes)
	if r.keep(result); before > 0 && len(r.outcomes) > before && r.hasSeveral() {
		line = "\n" + line
	}
	_, _ = fmt.Fprintln(r.terminal.Out, line)
}

// hang begins each line of a check but the first.
const hang = "        "

// wrapped breaks a line at words on a terminal. Commands are not broken, so that they can be copied.
func (r *doctorReport) wrapped(line string) string {
	if r.columns == 0 {
		return line
	}
	return invocation.WrapLine(line, r.columns, hang)
}

// outcome is what came of one provider, or of what is of the machine.
type outcome struct {
	provider string // empty: of the machine
	results  []doctor.Result
	failed   []string         // titles
	class    credential.Class // of the first failure
}

func (r *doctorReport) keep(result doctor.Result) {
	last := len(r.outcomes) - 1
	if last < 0 || r.outcomes[last].provider != result.Provider {
		r.outcomes = append(r.outcomes, outcome{provider: result.Provider})
		last++
	}
	own := &r.outcomes[last]
	own.results = append(own.results, result)
	if result.State == doctor.Failed {
		own.failed, own.class = append(own.failed, result.Title), cmp.Or(own.class, result.Class)
	}
}

// hasSeveral reports whether more than one provider was examined.
func (r *doctorReport) hasSeveral() bool {
	return len(r.outcomes) > 1 && r.outcomes[1].provider != ""
}

// summarize ends the report of several providers with a line that says which of them are well.
func (r *doctorReport) summarize() error {
	if !r.hasSeveral() {
		return nil
	}
	var parts []string
	for _, each := range r.outcomes {
		switch name := cmp.Or(each.provider, "this machine"); {
		case each.failed != nil:
			parts = append(parts, name+" failed "+strings.Join(each.failed, ", "))
		case each.provider != "":
			parts = append(parts, name+" is well")
		}
	}
	_, err := fmt.Fprintln(r.terminal.Out, "\n"+r.wrapped(invocation.OneLine(strings.Join(parts, "; "))))
	return err
}

// worstFirst are the classes of failures as they count when several providers are examined.
var worstFirst = []credential.Class{credential.Refused, credential.Internal, credential.Configuration, credential.Usage, credential.Unreachable}

// err returns a *doctorError, or nil if no check failed.
func (r *doctorReport) err() error {
	var found doctorError
	for _, each := range r.outcomes {
		if each.failed == nil {
			continue
		}
		isWorse := found.failed == 0 ||
			r.hasSeveral() && slices.Index(worstFirst, each.class) < slices.Index(worstFirst, found.class)
		if isWorse {
			found.class = each.class
		}
		found.first = cmp.Or(found.first, each.failed[0])
		found.failed += len(each.failed)
	}
	if found.failed == 0 {
		return nil
	}
	return &found
}

// doctorError reports that checks failed. Its exit code is that of the class.
type doctorError struct {
	failed int
	first  string // title
	class  credential.Class
}

func (e *doctorError) Error() string {
	if e.failed == 1 {
		return "one check failed: " + e.first
	}
	return fmt.Sprintf("%d checks failed, the first of them %s", e.failed, e.first)
}

// ExitCode returns the code of the class.
func (e *doctorError) ExitCode() int { return invocation.ClassCode(e.class) }

// doctorDocument is the output of --json. Members may be added; changing one breaks scripts.
type doctorDocument struct {
	ProviderURL string        `json:"provider_url"` // as it was passed, or the only one; empty: each check names its own
	OK          bool          `json:"ok"`
	ExitCode    int           `json:"exit_code"`
	Checks      []doctorCheck `json:"checks"`
}

type doctorCheck struct {
	ProviderURL string       `json:"provider_url,omitempty"` // among several
	ID          string       `json:"id"`
	State       doctor.State `json:"state"`
	Detail      string       `json:"detail"`
	Mend        string       `json:"mend,omitempty"`      // a command
	Advice      string       `json:"advice,omitempty"`    // where no command helps
	ExitCode    int          `json:"exit_code,omitempty"` // of a failure
}

func (r *doctorReport) printJSON(passed string) error {
	only := ""
	if !r.hasSeveral() {
		only = cmp.Or(passed, r.outcomes[0].provider)
		if _, err := credential.ParseProviderURL(only); err != nil {
			only = "" // it may hold a password
		}
	}
	document := doctorDocument{ProviderURL: only, OK: r.err() == nil, ExitCode: invocation.ExitCode(r.err()), Checks: []doctorCheck{}}
	for _, each := range r.outcomes {
		for _, result := range each.results {
			check := doctorCheck{ID: result.ID, State: result.State, Detail: result.Detail, Mend: result.Mend, Advice: result.Advice, ExitCode: invocation.ClassCode(result.Class)}
			if r.hasSeveral() {
				check.ProviderURL = result.Provider
			}
			document.Checks = append(document.Checks, check)
		}
	}
	return r.terminal.PrintJSON(document)
}
