package calling

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// export prints the rows of one call, or of several pages, one by one and uncut (R-HAND-7).
type export struct {
	*toolCommand
	command *cobra.Command
	env     tool.Env

	rows     *display.Rows
	pageSize int // 0 for the limit of the call
	progress *progress
	last     *lastRun // keeps the position; nil if no run continues this one
}

var (
	errNoCursor = invocation.Usagef("several connections hold this stream, and the provider pages one at a time; " +
		"pass --connection-id with an id that schema lists")
	errRepeatedCursor = invocation.Failf("the provider repeats the cursor of an earlier page; the pages after it cannot be read")
)

// isPerRow reports whether rows are printed one by one. It returns an error for wrong flags, before any request.
func (c *toolCommand) isPerRow() (bool, error) {
	if err := c.format.Check(); err != nil {
		return false, err
	}
	if _, err := c.span.bounds(c.clock.Now()); err != nil {
		return false, err
	}
	if c.short != nil {
		if c.definition.Pages != "" && c.limit < 1 {
			return false, invocation.Usagef("invalid --%s %d: use a number such as %d, or --all", tool.HitsLimit, c.limit, defaultRows)
		}
		return c.definition.Pages != "", nil
	}
	if c.all && !c.format.TakesRows() {
		return false, invocation.Usagef("--all prints rows one by one: pass --format jsonl or csv, or --jq, or none of them")
	}
	return c.all || c.definition.Pages != "" && c.format.IsPerRow(), nil
}

// run prints a page before it requests the next one. When reading stops early, also by Ctrl-C, the output ends with a whole line.
func (e *export) run(ctx context.Context, arguments json.RawMessage) error {
	output, err := e.target.Open()
	if err != nil {
		return err
	}
	defer output.Discard()
	e.format.Terminal.Out = output.Writer
	object, _ := rawjson.ParseObject(arguments)
	e.progress = newProgress(e.terminal, e.target.IsFile(), object.Text(e.definition.Pages) == "")
	defer e.progress.line.End()
	e.prepare(object)
	last, err := e.printPages(ctx, object)
	e.progress.line.End()
	if err != nil {
		return err
	}
	return errors.Join(e.end(last), output.Publish(), e.last.keep(last.cursor, last.bookmark))
}

// prepare chooses the printer of rows and the size of pages.
func (e *export) prepare(object rawjson.Object) {
	hasLimit := slices.ContainsFunc(e.definition.Arguments, func(argument tool.Argument) bool { return argument.Name == tool.HitsLimit })
	if e.all && hasLimit && object.Get(tool.HitsLimit) == nil {
		e.pageSize = rs.MostRows
	}
	switch e.rows = e.format.Rows(); {
	case e.short == nil:
	case e.follow:
		e.all = true // as lines, because a table is printed at the end
	default:
		e.rows = e.format.PlainRows()
		if !e.all && e.limit <= rs.MostRows {
			e.pageSize, e.progress.line = e.limit, &invocation.Line{}
		}
	}
}

// printPages prints pages until the last one, or the limit of rows, and returns the last one.
func (e *export) printPages(ctx context.Context, object rawjson.Object) (rowPage, error) {
	cursorName := e.definition.Pages
	seen := map[string]bool{object.Text(cursorName): true}
	for {
		page, err := e.printPage(ctx, object)
		if err == nil && page.cursor != "" && seen[page.cursor] {
			err = errRepeatedCursor
		}
		if offered := offeredConnections(err); e.short != nil && offered != nil && object.Get(e.definition.Changes) == nil {
			page.connections, page.isAscending, err = offered, object.Text(tool.RecordsOrder) == "asc", errNoCursor
		}
		if errors.Is(err, errNoCursor) && len(page.connections) > 1 {
			page, err = e.printEach(ctx, object, page)
		}
		isFull := e.short != nil && !e.all && e.progress.rows >= e.limit
		switch {
		case err != nil:
			e.progress.line.End()
			e.reportStop(err, object)
			return page, err
		case e.follow && page.cursor == "" && page.bookmark != "":
			e.progress.line.End()
			if err := e.last.keep("", page.bookmark); err != nil {
				return page, err
			}
			select {
			case <-ctx.Done():
				return page, ctx.Err()
			case <-time.After(followInterval):
			}
			object = object.Without(cursorName).With(e.definition.Changes, rawjson.Quote(page.bookmark))
			clear(seen)
		case page.cursor == "", isFull, e.short == nil && !e.all:
			return page, nil
		default:
			seen[page.cursor] = true
			// A page of a feed of changes is named by its cursor alone.
			object = object.Without(e.definition.Changes).With(cursorName, rawjson.Quote(page.cursor))
		}
	}
}

// followInterval is the time between two requests for changes.
const followInterval = 5 * time.Second

// end ends the output and reports the rows that follow.
func (e *export) end(last rowPage) error {
	if last.note != "" {
		fmt.Fprintln(e.terminal.Err, invocation.OneLine(last.note))
	}
	more := ""
	if e.short != nil && e.last == nil && last.bookmark != "" && last.cursor == "" {
		fmt.Fprintf(e.terminal.Err, "later changes: --%s %s\n", invocation.FlagName(e.definition.Changes), commandline.Word(invocation.OneLine(last.bookmark)))
	}
	switch {
	case !last.hasMore && last.cursor == "", e.all:
	case e.short == nil:
		more = "more follow: --all reads every page"
	default:
		more = fmt.Sprintf("more follow: --%s %d, or --all", tool.HitsLimit, 10*e.limit)
	}
	if e.rows.IsTable() {
		return e.rows.EndTable(e.definition.Table == tool.HitTable, more)
	}
	if more != "" && (last.cursor != "" || e.short != nil) {
		fmt.Fprintf(e.terminal.Err, "%s; %s\n", invocation.Count(e.progress.rows, "row"), more)
	}
	return e.rows.End()
}

// printPage reads a page and prints its rows. A page that is too large is read again with fewer rows.
func (e *export) printPage(ctx context.Context, object rawjson.Object) (page rowPage, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return page, err
		}
		limited, size := object, e.pageSize
		if e.short != nil && !e.all {
			size = min(cmp.Or(e.pageSize, rs.MostRows), e.limit-e.progress.rows)
		}
		if size > 0 {
			limited = object.With(tool.HitsLimit, rawjson.Int("", int64(size)).Value)
		}
		page, err = e.read(ctx, limited.Encode())
		failure, isFailure := errors.AsType[*rs.Failure](err)
		if !isFailure || failure.Reason != rs.ResponseTooLarge || size <= 1 {
			break
		}
		e.pageSize = size / 4
	}
	if err != nil {
		return page, err
	}
	if len(page.connections) > 1 && !e.all {
		page.hasMore = page.hasMore || len(page.rows) > e.limit
		page.rows = byTime(page.rows, page.isAscending)
		page.rows = page.rows[:min(len(page.rows), e.limit-e.progress.rows)]
	}
	if page.hasMore && page.cursor == "" && (e.short == nil || e.all || len(page.rows) < e.limit) {
		if e.all || e.short != nil {
			return page, errNoCursor
		}
		fmt.Fprintln(e.terminal.Err, "more rows follow:", errNoCursor)
	}
	if err := e.rows.Write(ctx, page.rows); err != nil {
		return page, err
	}
	e.progress.add(len(page.rows), page.total)
	return page, nil
}

// reportStop says on stderr how many rows were printed, and how to get the others.
func (e *export) reportStop(err error, object rawjson.Object) {
	if e.progress.rows == 0 {
		return
	}
	note := "stopped after " + invocation.Count(e.progress.rows, "row")
	switch {
	case e.target.IsFile():
		note += "; no file was written. To keep a copy that can be resumed, run: pdpp-mcp sync <directory>"
		if stream := object.Text(e.span.stream); stream != "" {
			note += " --stream " + commandline.Word(invocation.OneLine(stream))
		}
	case e.short == nil && !errors.Is(err, errRepeatedCursor):
		note += "; to continue, run: " + commandFor(e.command, e.command, object.Encode())
	}
	fmt.Fprintln(e.terminal.Err, note)
}
