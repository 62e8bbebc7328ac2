// Package display prints results as tables for people, as the text that a model reads, or as JSON.
package display

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The forms in which call prints a result.
const (
	formatText  = "text"  // the text channel of a result
	formatJSON  = "json"  // structured output
	formatTable = "table" // for people
)

// Format prints results.
type Format struct {
	Terminal invocation.Terminal
	chosen   string
}

// AddFlags adds the flag that chooses a form.
func (f *Format) AddFlags(flags *pflag.FlagSet) {
	const usage = "table, text or json (default table on a terminal, else json)"
	invocation.AddChoice(flags, &f.chosen, "format", "", usage, formatTable, formatText, formatJSON)
}

// PrintShape writes a result of a tool in the chosen form. More says how to see the rows that follow a page.
func (f *Format) PrintShape(result *tool.Result, shape tool.Table, more string) error {
	return f.print(result, func(screen Screen) string { return ofShape(shape, result, screen, more) })
}

// PrintMembers writes the answer to a command in the chosen form; a table shows the named members of its rows.
func (f *Format) PrintMembers(result *tool.Result, names []string) error {
	return f.print(result, func(screen Screen) string { return ofMembers(result, names, screen) })
}

func (f *Format) print(result *tool.Result, asTable func(Screen) string) error {
	var shown string
	_, onTerminal := f.Terminal.Width()
	chosen := f.chosen
	if chosen == "" && !onTerminal {
		chosen = formatJSON
	}
	switch chosen {
	case formatText:
		if shown = result.Text; onTerminal {
			shown = invocation.Printable(shown)
		}
	case formatJSON:
		var indented bytes.Buffer
		if err := json.Indent(&indented, result.Structured, "", "  "); err != nil {
			return fmt.Errorf("write structured output: %w", err)
		}
		shown = invocation.Printable(indented.String())
	default:
		shown = asTable(ScreenOf(f.Terminal))
	}
	if _, err := fmt.Fprintln(f.Terminal.Out, shown); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// TerminalSafe escapes the control characters in a result's text, so that a provider cannot send escape sequences to a
// terminal. Structured output is unchanged.
func TerminalSafe(result *tool.Result) *tool.Result {
	return &tool.Result{Text: invocation.Printable(result.Text), Structured: result.Structured}
}
