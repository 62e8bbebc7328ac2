package calling

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

type rowPage struct {
	rows        []json.RawMessage
	total       display.Total
	cursor      string // of the next page
	bookmark    string // for later changes
	hasMore     bool
	connections []string // of a short command whose rows are ordered by time
	isAscending bool
	note        string // about all hits of the result
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

// printEach reads the pages of each connection, and prints their rows by time.
func (e *export) printEach(ctx context.Context, object rawjson.Object, first rowPage) (all rowPage, err error) {
	for _, connection := range first.connections {
		arguments := object.With(e.span.connection, rawjson.Quote(connection)).With(tool.HitsLimit, rawjson.Int("", rs.MostRows).Value)
		for rows := 0; ; {
			page, err := e.read(ctx, arguments.Encode())
			if err != nil {
				return page, err
			}
			rows += len(page.rows)
			all.rows = append(all.rows, page.rows...)
			e.progress.line.Show(invocation.Count(len(all.rows), "row"))
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
	e.progress.rows = len(all.rows)
	return all, e.rows.Write(ctx, all.rows)
}

// byTime orders rows of several connections by their time, newest first unless isAscending.
func byTime(rows []json.RawMessage, isAscending bool) []json.RawMessage {
	type timedRow struct {
		row  json.RawMessage
		time time.Time
	}
	timed := make([]timedRow, len(rows))
	for i, row := range rows {
		members, _ := rawjson.ParseObject(row)
		text, _ := rawjson.Text(tool.TimeRole.Field(members).Value)
		instant, _ := time.Parse(time.RFC3339, text)
		timed[i] = timedRow{row, instant}
	}
	slices.SortStableFunc(timed, func(a, b timedRow) int {
		if isAscending {
			return a.time.Compare(b.time)
		}
		return b.time.Compare(a.time)
	})
	ordered := make([]json.RawMessage, len(rows))
	for i := range timed {
		ordered[i] = timed[i].row
	}
	return ordered
}
