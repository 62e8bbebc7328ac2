package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The forms in which call prints a result.
const (
	formatText  = "text"  // what a model reads that sees only text
	formatJSON  = "json"  // structured output
	formatTable = "table" // for people
)

var formats = []string{formatTable, formatText, formatJSON}

// format prints results.
type format struct {
	terminal terminal
	chosen   string
}

func (f *format) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.chosen, "format", "", "table, text or json (default table on a terminal, else json)")
}

// check settles the form before anything is read.
func (f *format) check() error {
	if f.chosen == "" {
		f.chosen = formatJSON
		if _, isTerminal := width(f.terminal); isTerminal {
			f.chosen = formatTable
		}
	}
	if !slices.Contains(formats, f.chosen) {
		return &usageError{fmt.Sprintf("--format is %q; pass one of: %s", f.chosen, strings.Join(formats, ", "))}
	}
	return nil
}

// print shows a result; asTable is its form for people.
func (f *format) print(result *tool.Result, asTable func(result *tool.Result, columns int) string) error {
	var shown string
	columns, onTerminal := width(f.terminal)
	switch f.chosen {
	case formatText:
		if shown = result.Text; onTerminal {
			shown = printable(shown)
		}
	case formatJSON:
		var indented bytes.Buffer
		if err := json.Indent(&indented, result.Structured, "", "  "); err != nil {
			return fmt.Errorf("write structured output: %w", err)
		}
		shown = printable(indented.String())
	default:
		shown = asTable(result, columns)
	}
	if _, err := fmt.Fprintln(f.terminal.out, shown); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// widthElsewhere is the width of a table that is written to no terminal, in columns.
const widthElsewhere = 160

// width is the width of the terminal in columns, and whether there is one.
func width(terminal terminal) (int, bool) {
	file, ok := terminal.out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return widthElsewhere, false
	}
	if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 20 {
		return columns, true
	}
	return widthElsewhere, true
}
