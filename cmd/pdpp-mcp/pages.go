package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// pageFlags is what a command offers whose answers come in pages.
type pageFlags struct {
	all    bool
	readOn func(arguments json.RawMessage) string // nil: the command has no pages
}

func addPaging(command *cobra.Command, arguments *argumentFlags) *pageFlags {
	paging := &pageFlags{}
	if arguments.has("cursor") && arguments.has("limit") {
		command.Flags().BoolVar(&paging.all, "all", false, "read every page; prints one JSON object a line, and how far it is on stderr")
		paging.readOn = func(arguments json.RawMessage) string { return readOnCommand(command, arguments) }
	}
	return paging
}

// pages reads every page of one call.
type pages struct {
	terminal terminal
	call     func(ctx context.Context, arguments json.RawMessage) (*tool.Result, error)
	read     func(result *tool.Result, arguments json.RawMessage) (*page, error)
	readOn   func(arguments json.RawMessage) string // the command line that begins with another call
}

// page is one page, whatever the answer looks like that it came in.
type page struct {
	rows  []json.RawMessage
	next  json.RawMessage // the arguments of the next page's call; nil after the last page
	stuck error           // why there is no next page although there are more rows
	count rowCount        // of all pages
	cut   []string        // members that the last row lacks
}

// readToolPage reads the page that a tool gives.
func readToolPage(result *tool.Result, _ json.RawMessage) (*page, error) {
	var shown shownPage
	if err := json.Unmarshal(result.Structured, &shown); err != nil {
		return nil, fmt.Errorf("read the page's structured output: %w", err)
	}
	next := shown.next()
	if next == nil && shown.Data.HasMore {
		return nil, errManySources
	}
	return &page{
		rows: shown.Data.Data, next: next, count: readRowCount(shown.Data.Meta.Count), cut: append(shown.Clipped, shown.LeftOut...),
	}, nil
}

// shownPage is what is read of a page's structured output.
type shownPage struct {
	Data struct {
		Data       []json.RawMessage `json:"data"`
		HasMore    bool              `json:"has_more"`
		NextCursor string            `json:"next_cursor"`
		Meta       struct {
			Count json.RawMessage `json:"count"` // of records; in a search it is a number, that of the page
		} `json:"meta"`
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
		if cursor := cursorOf(named.Arguments); cursor != "" && cursor == p.Data.NextCursor {
			return named.Arguments
		}
	}
	return nil
}

// cursorOf is where a call begins; empty at the beginning.
func cursorOf(arguments json.RawMessage) string {
	var passed struct {
		Cursor string `json:"cursor"`
	}
	if err := json.Unmarshal(arguments, &passed); err != nil {
		return "" // the tool will say what is wrong with them
	}
	return passed.Cursor
}

// errManySources says that the resource server pages one connection at a time.
var errManySources = &usageError{"several connections hold this stream, and they are paged one at a time; pass --connection-id, which schema lists"}

// print prints every row of every page as one JSON object a line. A page is written whole before the next is asked
// for, and nothing is asked for twice: whatever ends the reading, Ctrl-C too, leaves lines that can be used, and the
// command line that reads on is named on stderr.
func (p *pages) print(ctx context.Context, arguments json.RawMessage) error {
	progress := newProgress(p.terminal)
	progress.fromStart = cursorOf(arguments) == ""
	defer progress.done()
	for arguments != nil {
		next, err := p.printOne(ctx, arguments, progress)
		if err != nil {
			progress.done()
			if progress.rows > 0 && !errors.Is(err, errNoWayOn) {
				fmt.Fprintf(p.terminal.err, "stopped after %d rows; to read on: %s\n", progress.rows, p.readOn(arguments))
			}
			return err
		}
		arguments = next
	}
	return nil
}

func (p *pages) printOne(ctx context.Context, arguments json.RawMessage, progress *progress) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	result, err := p.call(ctx, arguments)
	if err != nil {
		return nil, err
	}
	page, err := p.read(result, arguments)
	if err != nil {
		return nil, err
	}
	lines, err := p.lines(page.rows)
	if err != nil {
		return nil, err
	}
	if _, err := p.terminal.out.Write(lines); err != nil {
		return nil, fmt.Errorf("write the rows: %w", err)
	}
	progress.add(len(page.rows), page.count)
	if len(page.cut) > 0 {
		progress.say(fmt.Sprintf("row %d is too large for one result and lacks a part of %s; read it with read_record_field",
			progress.rows, printable(strings.Join(page.cut, ", "))))
	}
	return page.next, page.stuck
}

// lines has one row a line, however the resource server laid it out.
func (p *pages) lines(rows []json.RawMessage) ([]byte, error) {
	var lines bytes.Buffer
	for _, row := range rows {
		if err := json.Compact(&lines, row); err != nil {
			return nil, fmt.Errorf("read a row: %w", err)
		}
		lines.WriteByte('\n')
	}
	if _, onTerminal := width(p.terminal); onTerminal {
		return []byte(escaped(lines.String())), nil
	}
	return lines.Bytes(), nil
}
