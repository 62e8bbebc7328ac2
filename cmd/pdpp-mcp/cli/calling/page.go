package calling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

type rowPage struct {
	rows        []json.RawMessage
	total       display.Total
	position    keptPosition // after the page
	hasMore     bool
	connections []string // of a short command whose rows are ordered by time
	note        string   // about all rows of the result
}

// readPage reads a page with as many rows as are left. A page that is too large is read again with fewer rows. A short
// command reads several connections that the provider cannot page together one after the other.
func (r *reading) readPage(ctx context.Context, object rawjson.Object) (page rowPage, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return page, err
		}
		limited, size := object, min(r.pageSize, r.maxRows-r.count)
		if size > 0 {
			limited = object.With(tool.HitsLimit, rawjson.Int("", int64(size)).Value)
		}
		page, err = r.read(ctx, limited.Encode())
		failure, isFailure := errors.AsType[*rs.Failure](err)
		if !isFailure || failure.Reason != rs.ResponseTooLarge || size <= 1 {
			break
		}
		r.pageSize = max(1, size/4)
	}
	if offered := offeredConnections(err); r.short != nil && object.Get(r.definition.Changes) == nil && len(offered) > 1 {
		return r.readEach(ctx, object, offered)
	}
	isCut := err == nil && page.hasMore && page.position.Cursor == ""
	switch {
	case err != nil:
		return page, err
	case isCut && r.short == nil && !r.all:
		r.terminal.Note("more rows follow: %v", errNoCursor)
	case isCut && len(page.rows) < r.maxRows && len(page.connections) > 1:
		return r.readEach(ctx, object, page.connections)
	case isCut && len(page.rows) < r.maxRows:
		return page, errNoCursor
	case len(page.connections) > 1:
		r.merge(&page, object)
	}
	return page, nil
}

func (r *reading) readEach(ctx context.Context, object rawjson.Object, connections []string) (all rowPage, err error) {
	for _, connection := range connections {
		arguments := object.With(r.span.connection, rawjson.Quote(connection)).With(tool.HitsLimit, rawjson.Int("", rs.MaxRows).Value)
		for rows := 0; rows < r.maxRows; {
			page, err := r.read(ctx, arguments.Encode())
			if err != nil {
				return page, err
			}
			rows += len(page.rows)
			all.rows = append(all.rows, page.rows...)
			r.line.Show(invocation.Count(len(all.rows), "row"))
			cursor := page.position.Cursor
			if cursor == "" || cursor == arguments.Text(r.definition.Pages) {
				break
			}
			all.hasMore = all.hasMore || rows >= r.maxRows
			arguments = arguments.With(r.definition.Pages, rawjson.Quote(cursor))
		}
	}
	r.merge(&all, object)
	return all, nil
}

// merge orders the rows of several connections by time, and keeps the first ones up to the maximum.
func (r *reading) merge(page *rowPage, object rawjson.Object) {
	type timedRow struct {
		row  json.RawMessage
		time time.Time
	}
	timed := make([]timedRow, len(page.rows))
	for i, row := range page.rows {
		members, _ := rawjson.ParseObject(row)
		instant, _ := time.Parse(time.RFC3339, rawjson.TextOf(tool.TimeRole.Field(members).Value))
		timed[i] = timedRow{row, instant}
	}
	isAscending := object.Text(tool.RecordsOrder) == "asc"
	slices.SortStableFunc(timed, func(a, b timedRow) int {
		if isAscending {
			return a.time.Compare(b.time)
		}
		return b.time.Compare(a.time)
	})
	for i := range timed {
		page.rows[i] = timed[i].row
	}
	left := r.maxRows - r.count
	page.hasMore = page.hasMore || len(page.rows) > left
	page.rows = page.rows[:min(len(page.rows), left)]
}

// read requests one page. Records come from the answer, hits from the result.
func (r *reading) read(ctx context.Context, arguments json.RawMessage) (page rowPage, err error) {
	err = r.ask(ctx, arguments, func(asked *tool.Answer) (int, error) {
		if rows, isRows := asked.Found.(*answer.Rows); isRows {
			page = recordPage(rows, r.short != nil)
			return len(page.rows), nil
		}
		result, err := asked.Render()
		if err != nil {
			return 0, err
		}
		page, err = hitPage(result.Structured)
		return len(page.rows), err
	})
	return page, err
}

func connectionsOf(rows *answer.Rows) (connections []string) {
	for _, record := range rows.Records {
		if id := record.Members.FirstText(wire.ConnectionID, "connector_instance_id"); !slices.Contains(connections, id) {
			connections = append(connections, id)
		}
	}
	return connections
}

// recordPage returns the whole rows of a page, or the plain rows of a short command.
func recordPage(rows *answer.Rows, isShort bool) rowPage {
	page := rowPage{
		total:    display.ReadTotal(rows.Meta.Get(wire.Count)),
		position: keptPosition{rows.Cursor, rows.Bookmarked()}, hasMore: rows.HasMore, note: render.PlainNote(rows),
	}
	if reading := rows.Reading; reading != nil && reading.CursorAfter != nil {
		page.position.Cursor = reading.CursorAfter(len(rows.Records))
	}
	if !isShort {
		page.rows = render.WholeRows(rows)
		return page
	}
	if !rows.IsSorted {
		page.connections = connectionsOf(rows)
	}
	page.rows = render.PlainRows(rows)
	return page
}

func hitPage(structured json.RawMessage) (rowPage, error) {
	result, err := display.ReadPage(structured)
	if err != nil {
		return rowPage{}, fmt.Errorf("read the page's structured output: %w", err)
	}
	page := rowPage{
		total: display.ReadTotal(result.Data.Meta.Count), position: keptPosition{Cursor: result.Data.NextCursor},
		hasMore: result.Data.HasMore, note: result.WholeNote(), rows: result.Results,
	}
	return page, nil
}
