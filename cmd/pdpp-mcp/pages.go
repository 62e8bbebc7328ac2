package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// pages reads every page of one call.
type pages struct {
	terminal terminal
	call     func(ctx context.Context, arguments json.RawMessage) (*tool.Result, error)
	readOn   func(arguments json.RawMessage) string // the command line that begins with another call
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
			if progress.rows > 0 {
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
	var page shownPage
	if err := json.Unmarshal(result.Structured, &page); err != nil {
		return nil, fmt.Errorf("read the page's structured output: %w", err)
	}
	next := page.next()
	if next == nil && page.Data.HasMore {
		return nil, errManySources
	}
	lines, err := p.lines(page.Data.Data)
	if err != nil {
		return nil, err
	}
	if _, err := p.terminal.out.Write(lines); err != nil {
		return nil, fmt.Errorf("write the rows: %w", err)
	}
	progress.add(len(page.Data.Data), readRowCount(page.Data.Meta.Count))
	if cut := append(page.Clipped, page.LeftOut...); len(cut) > 0 {
		progress.say(fmt.Sprintf("row %d is too large for one result and lacks a part of %s; read it with read_record_field",
			progress.rows, printable(strings.Join(cut, ", "))))
	}
	return next, nil
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
