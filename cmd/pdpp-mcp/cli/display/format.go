// Package display prints results as tables for people, as the text that a model reads, or as JSON and CSV for programs.
package display

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The forms in which a command prints a result. They mean the same for every command that has them.
const (
	formatTable = "table"             // for people
	formatText  = "text"              // the text channel of a result
	formatJSON  = invocation.FormJSON // structured output
	formatLines = "jsonl"             // each row on a line, whole
	formatCSV   = "csv"               // each row on a line, whole, under a heading
)

// Format prints results in the form that its flags choose.
type Format struct {
	Terminal invocation.Terminal

	chosen, expression string

	selection *query // of the expression; nil without one
}

// AddFlags adds the flags that choose a form.
func (f *Format) AddFlags(flags *pflag.FlagSet) {
	const usage = "table, json, jsonl, csv or text (default table on a terminal, else json)"
	invocation.AddChoice(flags, &f.chosen, "format", "", usage, formatTable, formatJSON, formatLines, formatCSV, formatText)
	invocation.AddJSON(flags, &f.chosen)
	flags.StringVar(&f.expression, "jq", "", "print what this jq `expression` selects of the JSON, strings without quotes")
}

// Check returns an error for wrong flags. Call it before the request.
func (f *Format) Check() (err error) {
	if f.expression != "" && f.chosen != "" && f.chosen != formatJSON && f.chosen != formatLines {
		return invocation.Usagef("--jq selects from JSON and cannot be combined with --format %s; pass one of them", f.chosen)
	}
	if f.expression != "" {
		f.selection, err = newQuery(f.expression)
	}
	return err
}

// IsPerRow reports whether the form prints rows one by one, whole and as the resource server sent them.
func (f *Format) IsPerRow() bool { return f.chosen == formatLines || f.chosen == formatCSV }

// TakesRows reports whether Rows prints in the form.
func (f *Format) TakesRows() bool { return f.IsPerRow() || f.chosen == "" }

// PrintShape writes a result of a tool in the chosen form. More says how to see the rows that follow a page.
func (f *Format) PrintShape(ctx context.Context, result *tool.Result, shape tool.Table, more string) error {
	return f.print(ctx, result, func(screen screen) string { return shapeTable(shape, result, screen, more) })
}

// PrintList writes the answer to a command in the chosen form. A table shows the named members of its rows, and the optional ones
// that a row has.
func (f *Format) PrintList(ctx context.Context, result *tool.Result, names, optional []string) error {
	return f.print(ctx, result, func(screen screen) string { return listTable(result, names, optional, screen) })
}

func (f *Format) print(ctx context.Context, result *tool.Result, asTable func(screen) string) error {
	_, isTerminal := f.Terminal.Width()
	switch {
	case f.IsPerRow():
		rows := f.Rows()
		return errors.Join(rows.Write(ctx, rowsOf(result.Structured)), rows.End())
	case f.selection != nil:
		return f.selectFrom(ctx, result.Structured)
	case f.chosen == formatText:
		return f.write([]byte(result.Text + "\n"))
	case f.chosen == formatJSON, f.chosen == "" && !isTerminal:
		var indented bytes.Buffer
		if err := json.Indent(&indented, result.Structured, "", "  "); err != nil {
			return fmt.Errorf("write structured output: %w", err)
		}
		return f.write([]byte(invocation.Printable(indented.String()) + "\n"))
	}
	// The cells of a table are escaped, and its colours must not be.
	_, err := fmt.Fprintln(f.Terminal.Out, asTable(screenOf(f.Terminal)))
	return err
}

// write writes whole lines. On a terminal, control characters are escaped.
func (f *Format) write(lines []byte) error {
	if _, onTerminal := invocation.OnTerminal(f.Terminal.Out); onTerminal {
		lines = []byte(invocation.Printable(string(lines)))
	}
	if _, err := f.Terminal.Out.Write(lines); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// TerminalSafe escapes the control characters in a result's text, so that a provider cannot send escape sequences to a
// terminal. Structured output is unchanged.
func TerminalSafe(result *tool.Result) *tool.Result {
	return &tool.Result{Text: invocation.Printable(result.Text), Structured: result.Structured}
}
