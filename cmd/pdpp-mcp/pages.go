package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// pageCall runs the tool whose pages are read.
type pageCall func(ctx context.Context, arguments json.RawMessage) (*tool.Result, error)

// shownPage is what is read of a page's structured output.
type shownPage struct {
	Data struct {
		Data       []json.RawMessage `json:"data"`
		HasMore    bool              `json:"has_more"`
		NextCursor string            `json:"next_cursor"`
	} `json:"data"`
	Clipped []string `json:"fields_clipped"` // of the one row of a page
	LeftOut []string `json:"fields_left_out"`
	Next    []struct {
		Arguments json.RawMessage `json:"arguments"`
	} `json:"next"`
}

// next is the call of the next page, or nil after the last one. A page may name other calls, which read on
// within a row.
func (p *shownPage) next() json.RawMessage {
	for _, named := range p.Next {
		var arguments struct {
			Cursor string `json:"cursor"`
		}
		if err := json.Unmarshal(named.Arguments, &arguments); err == nil && arguments.Cursor != "" && arguments.Cursor == p.Data.NextCursor {
			return named.Arguments
		}
	}
	return nil
}

// errManySources says that the resource server pages one connection at a time.
var errManySources = &usageError{"several connections hold this stream, and they are paged one at a time; pass --connection-id, which schema lists"}

// printPages prints every row of every page as one JSON object a line. Whole lines are written, so that what
// was interrupted can be used, and the call that reads on is named on stderr.
func printPages(ctx context.Context, terminal terminal, call pageCall, arguments json.RawMessage) error {
	progress := newProgress(terminal.err)
	defer progress.done()
	for arguments != nil {
		next, err := printPage(ctx, terminal, call, arguments, progress)
		if err != nil {
			progress.done()
			if progress.rows > 0 {
				fmt.Fprintf(terminal.err, "stopped after %d rows; what is left is read with --json %s\n", progress.rows, shellQuoted(string(arguments)))
			}
			return err
		}
		arguments = next
	}
	return nil
}

// shellQuoted is a word for a shell, in which nothing that came with the data is a command.
func shellQuoted(word string) string {
	return "'" + strings.ReplaceAll(printable(word), "'", `'\''`) + "'"
}

func printPage(ctx context.Context, terminal terminal, call pageCall, arguments json.RawMessage, progress *progress) (json.RawMessage, error) {
	result, err := call(ctx, arguments)
	if err != nil {
		return nil, err
	}
	var page shownPage
	if err := json.Unmarshal(result.Structured, &page); err != nil {
		return nil, fmt.Errorf("read the page's structured output: %w", err)
	}
	next := page.next()
	if next == nil && page.Data.HasMore {
		return nil, errManySources
	}
	var lines []byte
	for _, row := range page.Data.Data {
		lines = append(append(lines, row...), '\n')
	}
	if _, err := terminal.out.Write(lines); err != nil {
		return nil, fmt.Errorf("write the rows: %w", err)
	}
	progress.add(len(page.Data.Data))
	if cut := append(page.Clipped, page.LeftOut...); len(cut) > 0 {
		fmt.Fprintf(terminal.err, "row %d is too large for one result and lacks a part of %s; read it with read_record_field\n",
			progress.rows, strings.Join(cut, ", "))
	}
	return next, nil
}

// progress counts rows on a terminal, and is silent elsewhere.
type progress struct {
	out  io.Writer // nil: silent
	rows int
}

func newProgress(out io.Writer) *progress {
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &progress{out: file}
	}
	return &progress{}
}

func (p *progress) add(rows int) {
	p.rows += rows
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%d rows", p.rows)
	}
}

// done ends the line. It may be called twice.
func (p *progress) done() {
	if p.out != nil {
		fmt.Fprintln(p.out)
		p.out = nil
	}
}
