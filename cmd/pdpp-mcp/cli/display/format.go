// Package display prints results as tables for people, as the text that a model reads, or as JSON, CSV and TSV for
// programs. Everything that it prints on a terminal is free of control characters of the provider.
package display

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The output formats. They mean the same for every command that has them.
const (
	formatTable = "table"             // for people
	formatText  = "text"              // the text channel of a result
	formatJSON  = invocation.FormJSON // structured output, or a list of rows
	formatLines = "jsonl"             // a row on each line
	formatCSV   = "csv"               // a row on each line, below the names of the columns
	formatTSV   = "tsv"
)

// rowFormats are the formats of rows by the ending of a file name.
var rowFormats = []string{formatJSON, formatLines, formatCSV, formatTSV}

// Format prints results in the format that its flags choose.
type Format struct {
	Terminal invocation.Terminal

	chosen, expression string
	columns            []string // of rows; nil for all
	noHeaders          bool

	// Known returns the columns that rows may have without a value. It is called if a chosen column is in none of the
	// first rows.
	Known func(ctx context.Context) ([]string, error)

	selection *query // of the expression; nil without one

	// What was printed of rows:
	areHits    bool
	isChecked  bool     // the chosen columns exist
	csvColumns []string // the members of the first page that has rows
	missing    []string // members of later rows that have no column
	kept       []json.RawMessage
	count      int
}

// AddFlags adds the flags of a command that prints a result.
func (f *Format) AddFlags(flags *pflag.FlagSet) {
	const usage = "table, json, jsonl, csv or text (default table on a terminal, otherwise json); csv keeps values exactly, also those that a spreadsheet runs as formulas"
	invocation.AddChoice(flags, &f.chosen, "format,f", "", usage, formatTable, formatJSON, formatLines, formatCSV, formatText)
	invocation.AddJSON(flags, &f.chosen)
	flags.StringVarP(&f.expression, "jq", "q", "", "jq `expression` that selects from the JSON; strings are printed without quotes")
}

// AddRowFlags adds the flags of a command that prints plain rows.
func (f *Format) AddRowFlags(flags *pflag.FlagSet) {
	const usage = "table, json, jsonl, csv or tsv (default table on a terminal, the ending of -o, otherwise jsonl); csv and tsv keep values exactly, also those that a spreadsheet runs as formulas"
	invocation.AddChoice(flags, &f.chosen, "format,f", "", usage, formatTable, formatJSON, formatLines, formatCSV, formatTSV)
	flags.StringSliceVarP(&f.columns, "columns", "c", nil, "only these `fields`, in this order")
	flags.Func(invocation.FormJSON, "short for --columns `fields` --format json; without fields it lists them", func(names string) error {
		f.columns, f.chosen = append(f.columns, strings.Split(names, ",")...), formatJSON
		return nil
	})
	flags.StringVarP(&f.expression, "jq", "q", "", "jq `expression` that selects from the JSON: of each row, or with --json of the list of rows; strings are printed without quotes")
	flags.BoolVarP(&f.noHeaders, "no-headers", "H", false, "print rows without the names of the columns")
}

// ChooseByEnding chooses the format of a file's ending, unless a format or --jq is passed.
func (f *Format) ChooseByEnding(name string) {
	if ending := strings.TrimPrefix(filepath.Ext(name), "."); f.chosen == "" && f.expression == "" && slices.Contains(rowFormats, ending) {
		f.chosen = ending
	}
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

// IsPerRow reports whether the format prints rows one by one, whole and as the resource server sent them.
func (f *Format) IsPerRow() bool { return f.chosen == formatLines || f.chosen == formatCSV }

// TakesRows reports whether WriteRows prints in the format.
func (f *Format) TakesRows() bool { return f.IsPerRow() || f.chosen == "" }

// Fields returns the fields of records that the flags choose, or nil for all.
func (f *Format) Fields() []string {
	if f.columns == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.columns), func(name string) bool { return name == HandleColumn })
}

// PrintShape prints the result of a tool. More says how to see the rows after a page.
func (f *Format) PrintShape(ctx context.Context, result *tool.Result, shape tool.Table, more string) error {
	return f.print(ctx, result, func(screen screen) string { return shapeTable(shape, result, screen, more) })
}

// PrintList prints the result of a command. A table shows the named members of its rows, and the optional ones that a
// row has. The text has no control characters.
func (f *Format) PrintList(ctx context.Context, result *tool.Result, names, optional []string) error {
	result = &tool.Result{Text: invocation.Printable(result.Text), Structured: result.Structured}
	return f.print(ctx, result, func(screen screen) string { return listTable(result, names, optional, screen) })
}

func (f *Format) print(ctx context.Context, result *tool.Result, asTable func(screen) string) error {
	_, isTerminal := f.Terminal.Width()
	switch {
	case f.IsPerRow():
		return errors.Join(f.WriteRows(ctx, rowsOf(result.Structured)), f.EndRows(ctx, ""))
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
	return f.show(asTable(screenOf(f.Terminal)))
}

// show prints a table, whose cells are already printable.
func (f *Format) show(table string) error { return f.Terminal.Page(table + "\n") }

// write prints whole lines. A terminal gets no control characters.
func (f *Format) write(lines []byte) error {
	if _, isTerminal := invocation.OnTerminal(f.Terminal.Out); isTerminal {
		lines = []byte(invocation.Printable(string(lines)))
	}
	if _, err := f.Terminal.Out.Write(lines); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// query is a jq expression. It reads no files and no variables. Numbers keep their digits.
type query struct{ code *gojq.Code }

func newQuery(expression string) (*query, error) {
	parsed, err := gojq.Parse(expression)
	if wrong, ok := errors.AsType[*gojq.ParseError](err); ok {
		// Offset is the end of the wrong token, in bytes.
		valid := strings.TrimSuffix(expression[:min(wrong.Offset, len(expression))], wrong.Token)
		return nil, invocation.Usagef("--jq: %v after %q, at character %d", err, valid, utf8.RuneCountInString(valid)+1)
	}
	if err != nil {
		return nil, invocation.Usagef("--jq: %v", err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, invocation.Usagef("--jq: %v", err)
	}
	return &query{code}, nil
}

// run writes each selected value on a line, strings without quotes. If it fails, it has written the values before the
// failure.
func (q *query) run(ctx context.Context, out *bytes.Buffer, value any) error {
	results := q.code.RunWithContext(ctx, value)
	for result, more := results.Next(); more; result, more = results.Next() {
		err, _ := result.(error)
		if halted, ok := errors.AsType[*gojq.HaltError](err); ok && halted.Value() == nil {
			return nil
		}
		if err != nil {
			return errors.Join(ctx.Err(), invocation.Failf("--jq: %v", err))
		}
		line, isText := result.(string)
		if !isText {
			written, err := gojq.Marshal(result)
			if err != nil {
				return invocation.Failf("--jq: %v", err)
			}
			line = string(written)
		}
		out.WriteString(line + "\n")
	}
	return nil
}

func (f *Format) selectFrom(ctx context.Context, value json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return fmt.Errorf("read structured output: %w", err)
	}
	var selected bytes.Buffer
	err := f.selection.run(ctx, &selected, decoded)
	return errors.Join(f.write(selected.Bytes()), err)
}
