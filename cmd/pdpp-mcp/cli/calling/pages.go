package calling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// pages reads every page of one call.
type pages struct {
	terminal invocation.Terminal
	command  *cobra.Command
	cursor   string // the argument that takes next_cursor
	all      bool   // set by --all
	format   *display.Format
	target   *saved.Target
	call     func(ctx context.Context, arguments json.RawMessage) (*tool.Result, error)
	kept     *wholeRows // what the tool has read, uncut
}

// newPages adds the flag --all to the command of a tool that takes next_cursor.
func newPages(format *display.Format, target *saved.Target, command *cobra.Command, cursor string) *pages {
	made := &pages{terminal: format.Terminal, command: command, cursor: cursor, format: format, target: target}
	if cursor != "" {
		command.Flags().BoolVar(&made.all, "all", false, "read every page; prints whole rows, as --format jsonl does, and how far it is on stderr")
	}
	return made
}

// shownPage is what is read of a page's structured output.
type shownPage struct {
	display.Page
	LeftOut int `json:"rows_left_out"`
	Next    []struct {
		Arguments json.RawMessage `json:"arguments"`
	} `json:"next"`
}

// next returns the arguments of the call that reads the next page, or nil after the last one. Calls that read on within a
// row are skipped.
func (p *shownPage) next(cursorName string) (json.RawMessage, error) {
	for _, named := range p.Next {
		if cursor := cursorOf(named.Arguments, cursorName); cursor != "" && cursor == p.Data.NextCursor {
			return named.Arguments, nil
		}
	}
	switch {
	case p.LeftOut > 0:
		return nil, &incompleteError{invocation.Failf("%d rows of a page are too large for one result; the output lacks them and all rows after them; "+
			"call again with a smaller --limit", p.LeftOut)}
	case p.Data.HasMore:
		return nil, errManySources
	}
	return nil, nil
}

// rows returns the rows of a page, uncut. Before is the number of rows printed so far.
func (p *pages) rows(shown *shownPage, before int) ([]json.RawMessage, error) {
	if shown.Results == nil {
		return p.kept.whole(shown.Data.Data, shown.Shared, before)
	}
	shared, _ := rawjson.ParseObject(shown.Shared)
	rows := make([]json.RawMessage, len(shown.Results))
	for i, hit := range shown.Results { // each line is read by itself
		members, _ := rawjson.ParseObject(hit)
		rows[i] = append(members, shared...).Encode()
	}
	return rows, nil
}

// cursorOf returns the cursor among a call's arguments, or an empty string for the first page.
func cursorOf(arguments json.RawMessage, name string) string {
	var passed map[string]json.RawMessage
	var cursor string
	if json.Unmarshal(arguments, &passed) != nil || json.Unmarshal(passed[name], &cursor) != nil {
		return "" // absent, or wrong: the tool refuses it
	}
	return cursor
}

// errManySources refuses --all for several connections, since the resource server pages one at a time.
var errManySources = invocation.Usagef("several connections hold this stream, and they are paged one at a time; pass --connection-id, which schema lists")

// errLeadsBack ends --all at a page whose cursor is that of an earlier one.
var errLeadsBack = invocation.Failf("the cursor of a page leads back to one that was read already; the output has the rows up to there")

// byRow reports whether rows are printed one by one. It refuses wrong flags before any request: of a form, of a time, and --all for
// a form that has no rows.
func (p *pages) byRow(span *timespan) (bool, error) {
	if err := p.format.Check(); err != nil {
		return false, err
	}
	if _, err := span.bounds(time.Now()); err != nil {
		return false, err
	}
	if p.all && !p.format.TakesRows() {
		return false, invocation.Usagef("--all prints rows one by one: pass --format jsonl or csv, or --jq or --template, or none of them")
	}
	return p.all || p.cursor != "" && p.format.PerRow(), nil
}

// print writes every row of every page, uncut, as one JSON object a line (R-HAND-7). It writes a page before it requests the
// next and requests none twice. When reading stops early, also by Ctrl-C, the output ends with a whole line and stderr
// names the command line that continues.
func (p *pages) print(ctx context.Context, arguments json.RawMessage) error {
	output, err := p.target.Open(p.lineFor(arguments))
	if err != nil {
		return err
	}
	defer output.Discard()
	p.format.Terminal.Out = output.Writer
	rows := p.format.Rows()
	if earlier := output.Earlier(); earlier != nil {
		if err := rows.GoOn(earlier); err != nil {
			return err
		}
	}
	progress := newProgress(p.format.Terminal, cursorOf(arguments, p.cursor) == "")
	defer progress.line.End()
	asked := map[string]bool{} // by cursor
	for arguments != nil {
		asked[cursorOf(arguments, p.cursor)] = true
		next, err := p.printOne(ctx, arguments, rows, progress)
		if err == nil && next != nil && asked[cursorOf(next, p.cursor)] {
			err = &incompleteError{errLeadsBack}
		}
		if err != nil {
			progress.line.End()
			return errors.Join(err, p.stopped(err, output, progress.rows, arguments))
		}
		if arguments = next; arguments != nil && !p.all {
			progress.line.End()
			fmt.Fprintf(p.terminal.Err, "%d rows; more follow: --all reads every page\n", progress.rows)
			break
		}
	}
	return errors.Join(output.Publish(), rows.End())
}

// lineFor returns the command line that makes a call with these arguments and prints as this one does.
func (p *pages) lineFor(arguments json.RawMessage) string {
	return commandFor(p.command, p.command, arguments)
}

// stopped keeps what was read, and says on stderr how much that is and which command line goes on, if one can.
func (p *pages) stopped(err error, output *saved.Output, rows int, arguments json.RawMessage) error {
	if rows == 0 && output.Earlier() == nil {
		return nil
	}
	line := p.lineFor(arguments)
	path, failed := output.Keep(line)
	if failed != nil {
		return failed
	}
	said := fmt.Sprintf("stopped after %d rows", rows)
	if path != "" {
		said += ", kept in " + path
	}
	if _, incomplete := errors.AsType[*incompleteError](err); !incomplete {
		said += "; to read on: " + line
	} else if path == "" {
		return nil // the error says what the output lacks
	}
	fmt.Fprintln(p.terminal.Err, said)
	return nil
}

func (p *pages) printOne(ctx context.Context, arguments json.RawMessage, out *display.Rows, progress *progress) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.kept.forget()
	result, err := p.call(ctx, arguments)
	if err != nil {
		return nil, err
	}
	var page shownPage
	if err := json.Unmarshal(result.Structured, &page); err != nil {
		return nil, fmt.Errorf("read the page's structured output: %w", err)
	}
	next, noNext := page.next(p.cursor)
	if errors.Is(noNext, errManySources) {
		if p.all {
			return nil, noNext
		}
		fmt.Fprintln(p.terminal.Err, "more rows follow:", noNext)
		noNext = nil
	}
	rows, cut := p.rows(&page, progress.rows)
	if err := out.Write(ctx, rows); err != nil {
		return nil, err
	}
	progress.add(len(rows), page.Data.Meta.Count)
	if cut != nil {
		return nil, cut
	}
	return next, noNext
}
