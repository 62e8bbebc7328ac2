package calling

import (
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

// export prints the rows of one call, or of all its pages, one by one and uncut (R-HAND-7).
type export struct {
	*toolCommand
	command *cobra.Command
	env     tool.Env

	rows  *display.Rows
	limit int // rows per page, unless the caller chose a limit
}

// rowPage is one page of rows.
type rowPage struct {
	rows    []json.RawMessage
	total   display.Total
	cursor  string // of the next page
	hasMore bool
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
	if _, err := c.span.bounds(time.Now()); err != nil {
		return false, err
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
	e.rows = e.format.Rows()
	hasLimit := slices.ContainsFunc(e.definition.Arguments, func(argument tool.Argument) bool { return argument.Name == tool.HitsLimit })
	if e.all && hasLimit && object.Get(tool.HitsLimit) == nil {
		e.limit = rs.MostRows
	}
	seen := map[string]bool{object.Text(cursorName): true}
	for {
		page, err := e.printPage(ctx, object, progress)
		if err == nil && page.cursor != "" && seen[page.cursor] {
			err = errRepeatedCursor
		}
		if err != nil {
			progress.line.End()
			e.reportStop(err, progress.rows, object)
			return err
		}
		if page.cursor == "" {
			break
		}
		if !e.all {
			progress.line.End()
			fmt.Fprintf(e.terminal.Err, "%s; more follow: --all reads every page\n", invocation.Count(progress.rows, "row"))
			break
		}
		seen[page.cursor] = true
		object = object.With(cursorName, rawjson.Quote(page.cursor))
	}
	return errors.Join(output.Publish(), e.rows.End())
}

// printPage reads a page and prints its rows. A page that is too large is read again with fewer rows.
func (e *export) printPage(ctx context.Context, object rawjson.Object, progress *progress) (page rowPage, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return page, err
		}
		limited := object
		if e.limit > 0 {
			limited = object.With(tool.HitsLimit, rawjson.Int("", int64(e.limit)).Value)
		}
		page, err = e.read(ctx, limited.Encode())
		failure, isFailure := errors.AsType[*rs.Failure](err)
		if !isFailure || failure.Reason != rs.ResponseTooLarge || e.limit <= 1 {
			break
		}
		e.limit /= 4
	}
	if err != nil {
		return page, err
	}
	if page.hasMore && page.cursor == "" {
		if e.all {
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

// read asks for one page. Records are those of the response. The hits of a search are those of the result.
func (e *export) read(ctx context.Context, arguments json.RawMessage) (page rowPage, err error) {
	err = e.accounted(ctx, e.env, func(ctx context.Context, env tool.Env) (int, error) {
		answer, err := e.definition.Ask(ctx, env, arguments)
		if err != nil {
			return 0, err
		}
		if e.definition.Table == tool.RowTable {
			page, err = recordPage(answer.Response)
			return len(page.rows), err
		}
		result, err := answer.Render()
		if err != nil {
			return 0, err
		}
		page, err = hitPage(result.Structured)
		return len(page.rows), err
	})
	return page, err
}

func recordPage(response *rs.Response) (rowPage, error) {
	list, err := response.List()
	if err != nil {
		return rowPage{}, err
	}
	page := rowPage{
		rows: render.WholeRows(response), total: display.ReadTotal(list.Meta().Get("count")),
		cursor: list.Text("next_cursor"), hasMore: string(list.Get("has_more")) == "true",
	}
	if reading := response.Reading; reading != nil {
		page.cursor, page.hasMore = reading.Behind, false
		if reading.CursorAfter != nil {
			page.cursor = reading.CursorAfter(len(page.rows))
		}
	}
	return page, nil
}

// hitPage returns the hits of structured output. Each has the members that all share.
func hitPage(structured json.RawMessage) (rowPage, error) {
	var result struct {
		Shared  json.RawMessage   `json:"shared"`
		Results []json.RawMessage `json:"results"`
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
	page := rowPage{total: display.ReadTotal(result.Data.Meta.Count), cursor: result.Data.NextCursor, hasMore: result.Data.HasMore}
	shared, _ := rawjson.ParseObject(result.Shared)
	for _, hit := range result.Results {
		members, _ := rawjson.ParseObject(hit)
		page.rows = append(page.rows, append(members, shared...).Encode())
	}
	return page, nil
}

// reportStop says on stderr how many rows were printed, and how to get the rest: standard output can be continued, a file cannot.
func (e *export) reportStop(err error, rows int, object rawjson.Object) {
	if rows == 0 {
		return
	}
	said := "stopped after " + invocation.Count(rows, "row")
	switch {
	case e.target.IsFile():
		said += "; no file was written. To keep a copy that can be resumed, run: pdpp-mcp sync <directory>"
		if stream := object.Text(e.span.stream); stream != "" {
			said += " --stream " + commandline.Word(invocation.OneLine(stream))
		}
	case !errors.Is(err, errRepeatedCursor):
		said += "; to continue, run: " + commandFor(e.command, e.command, object.Encode())
	}
	fmt.Fprintln(e.terminal.Err, said)
}
