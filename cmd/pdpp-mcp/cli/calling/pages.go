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
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
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
}

// rowPage is one page of rows.
type rowPage struct {
	rows        []json.RawMessage
	total       display.Total
	cursor      string // of the next page
	bookmark    string // for later changes
	hasMore     bool
	connections []string // of a short command whose rows are ordered by time
	isAscending bool
	note        string // what the result says of all its hits
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
	object, _ := rawjson.ParseObject(arguments)
	cursorName := e.definition.Pages
	progress := newProgress(e.terminal, e.target.IsFile(), object.Text(cursorName) == "")
	defer progress.line.End()
	e.format.Terminal.Out = output.Writer
	hasLimit := slices.ContainsFunc(e.definition.Arguments, func(argument tool.Argument) bool { return argument.Name == tool.HitsLimit })
	if e.all && hasLimit && object.Get(tool.HitsLimit) == nil {
		e.pageSize = rs.MostRows
	}
	if e.rows = e.format.Rows(); e.short != nil {
		e.rows = e.format.PlainRows()
		if e.follow {
			e.rows, e.all = e.format.Rows(), true // a table needs an end
		}
		if !e.all && e.limit <= rs.MostRows {
			e.pageSize, progress.line = e.limit, &invocation.Line{}
		}
	}
	seen := map[string]bool{object.Text(cursorName): true}
	for {
		page, err := e.printPage(ctx, object, progress)
		if err == nil && page.cursor != "" && seen[page.cursor] {
			err = errRepeatedCursor
		}
		if isSplit := errors.Is(err, errNoCursor) && e.short != nil; isSplit && len(page.connections) > 1 {
			page, err = e.readEach(ctx, object, page, progress)
		}
		if err != nil {
			progress.line.End()
			e.reportStop(err, progress.rows, object)
			return err
		}
		isFull := e.short != nil && !e.all && progress.rows >= e.limit
		if e.follow && page.cursor == "" && page.bookmark != "" {
			progress.line.End()
			if err := pause(ctx, followInterval); err != nil {
				return err
			}
			object = object.Without(cursorName).With(e.definition.Changes, rawjson.Quote(page.bookmark))
			clear(seen)
			continue
		}
		if page.cursor == "" || isFull || e.short == nil && !e.all {
			progress.line.End()
			return errors.Join(e.end(progress.rows, page), output.Publish())
		}
		seen[page.cursor] = true
		// A page of a feed of changes is named by its cursor alone.
		object = object.Without(e.definition.Changes).With(cursorName, rawjson.Quote(page.cursor))
	}
}

// followInterval is the time between two questions for changes.
const followInterval = 5 * time.Second

func pause(ctx context.Context, interval time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(interval):
		return nil
	}
}

// readEach reads the pages of each connection, and prints their rows by time.
func (e *export) readEach(ctx context.Context, object rawjson.Object, first rowPage, progress *progress) (all rowPage, err error) {
	for _, connection := range first.connections {
		arguments := object.With(e.span.connection, rawjson.Quote(connection)).With(tool.HitsLimit, rawjson.Int("", rs.MostRows).Value)
		for rows := 0; ; {
			page, err := e.read(ctx, arguments.Encode())
			if err != nil {
				return page, err
			}
			rows += len(page.rows)
			all.rows = append(all.rows, page.rows...)
			progress.line.Show(invocation.Count(len(all.rows), "row"))
			if page.cursor == "" || page.cursor == arguments.Text(e.definition.Pages) {
				break
			}
			if !e.all && rows >= e.limit {
				all.hasMore = true
				break
			}
			arguments = arguments.With(e.definition.Pages, rawjson.Quote(page.cursor))
		}
	}
	all.rows = byTime(all.rows, first.isAscending)
	if !e.all {
		all.hasMore = all.hasMore || len(all.rows) > e.limit
		all.rows = all.rows[:min(len(all.rows), e.limit)]
	}
	progress.rows = len(all.rows)
	return all, e.rows.Write(ctx, all.rows)
}

// end ends the output and reports the rows that follow.
func (e *export) end(rows int, last rowPage) error {
	if last.note != "" {
		fmt.Fprintln(e.terminal.Err, last.note)
	}
	more := ""
	if e.short != nil && last.bookmark != "" && last.cursor == "" {
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
		fmt.Fprintf(e.terminal.Err, "%s; %s\n", invocation.Count(rows, "row"), more)
	}
	return e.rows.End()
}

// printPage reads a page and prints its rows. A page that is too large is read again with fewer rows.
func (e *export) printPage(ctx context.Context, object rawjson.Object, progress *progress) (page rowPage, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return page, err
		}
		limited, size := object, e.pageSize
		if e.short != nil && !e.all {
			size = min(cmp.Or(e.pageSize, rs.MostRows), e.limit-progress.rows)
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
		page.rows = page.rows[:min(len(page.rows), e.limit)]
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
	progress.add(len(page.rows), page.total)
	return page, nil
}

// read requests one page. Records come from the response, hits from the result.
func (e *export) read(ctx context.Context, arguments json.RawMessage) (page rowPage, err error) {
	err = e.accounted(ctx, e.env, func(ctx context.Context, env tool.Env) (int, error) {
		answer, err := e.definition.Ask(ctx, env, arguments)
		if err != nil {
			return 0, err
		}
		if e.definition.Table == tool.RowTable {
			page, err = recordPage(answer.Response)
			if e.short != nil {
				object, _ := rawjson.ParseObject(arguments)
				if _, isSorted := answer.Response.Request.Query.Get("sort"); !isSorted {
					page.connections = connectionsOf(page.rows)
				}
				order, _ := answer.Response.Request.Query.Get("order")
				page.isAscending = order == "asc"
				page.rows = render.PlainRows(answer.Response, object.Text(tool.RecordsStream), object.Text(tool.RecordsConnectionID))
			}
			return len(page.rows), err
		}
		result, err := answer.Render()
		if err != nil {
			return 0, err
		}
		page, err = hitPage(result.Structured)
		if e.short != nil && !e.rows.IsTable() {
			for i, hit := range page.rows {
				page.rows[i] = display.PlainHit(hit)
			}
		}
		return len(page.rows), err
	})
	return page, err
}

// connectionsOf returns the connections of whole rows.
func connectionsOf(rows []json.RawMessage) (connections []string) {
	for _, row := range rows {
		members, _ := rawjson.ParseObject(row)
		if id := members.FirstText("connection_id", "connector_instance_id"); !slices.Contains(connections, id) {
			connections = append(connections, id)
		}
	}
	return connections
}

func recordPage(response *rs.Response) (rowPage, error) {
	list, err := response.List()
	if err != nil {
		return rowPage{}, err
	}
	page := rowPage{
		rows: render.WholeRows(response), total: display.ReadTotal(list.Meta().Get("count")),
		cursor: list.Text("next_cursor"), bookmark: list.Text("next_changes_since"), hasMore: string(list.Get("has_more")) == "true",
	}
	if reading := response.Reading; reading != nil {
		page.cursor, page.hasMore = reading.Behind, false
		if reading.CursorAfter != nil {
			page.cursor = reading.CursorAfter(len(page.rows))
		}
	}
	return page, nil
}

// hitPage returns the hits of structured output, each with the shared members.
func hitPage(structured json.RawMessage) (rowPage, error) {
	var result struct {
		Shared  json.RawMessage   `json:"shared"`
		Results []json.RawMessage `json:"results"`
		Note    string            `json:"note"`
		Data    struct {
			HasMore    bool   `json:"has_more"`
			NextCursor string `json:"next_cursor"`
			Meta       struct {
				Count json.RawMessage `json:"count"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := json.Unmarshal(structured, &result); err != nil {
		return rowPage{}, fmt.Errorf("read the page's structured output: %w", err)
	}
	page := rowPage{total: display.ReadTotal(result.Data.Meta.Count), cursor: result.Data.NextCursor, hasMore: result.Data.HasMore, note: result.Note}
	shared, _ := rawjson.ParseObject(result.Shared)
	for _, hit := range result.Results {
		members, _ := rawjson.ParseObject(hit)
		page.rows = append(page.rows, append(members, shared...).Encode())
	}
	return page, nil
}

// reportStop says on stderr how many rows were printed, and how to get the others.
func (e *export) reportStop(err error, rows int, object rawjson.Object) {
	if rows == 0 {
		return
	}
	note := "stopped after " + invocation.Count(rows, "row")
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
