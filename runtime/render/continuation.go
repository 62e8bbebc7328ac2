package render

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// continuation says how to get the rows after a page. Both channels are written from it and so agree (R-HAND-8).
type continuation struct {
	isWhole bool   // the page shows every row that the RS sent, so its paging members are valid
	cursor  string // of the next page, if any
	isOwn   bool   // the adapter made the cursor
	calls   []answer.Call
	note    string // what to do if more rows match than the cursor and the calls reach
}

// hasMore reports whether a call returns more rows. Only the note mentions matching rows that no call returns.
func (c continuation) hasMore() bool { return len(c.calls) > 0 || c.cursor != "" }

// followsWord introduces the call that holds a cursor, which the text does not repeat (R-BUD-4).
const followsWord = " is in:"

// lines returns the continuation in text. A cursor is shown only if there is no call with it.
func (c continuation) lines() []string {
	var lines []string
	switch {
	case c.cursor != "" && len(c.calls) == 0:
		lines = append(lines, Token("next_cursor", c.cursor))
	case c.cursor != "":
		lines = append(lines, "next_cursor (for these arguments only)"+followsWord)
	}
	for _, call := range c.calls {
		lines = append(lines, Line(call))
	}
	return lines
}

// doesNotFit is the note of a page that ends before a row that is too large.
const doesNotFit = "The next row does not fit into a result."

// continuationAfter returns the continuation after the shown rows, without calls. Its cursor is the RS's, or one that skips the shown
// rows. narrowing names the arguments to change if the RS ends a list that has more rows.
func (l list) continuationAfter(response *rs.Response, shown, leftOut int, narrowing string) continuation {
	next := continuation{isWhole: leftOut == 0}
	if reading := response.Reading; reading != nil {
		next.isOwn = true
		switch {
		case reading.CursorAfter == nil:
			if next.cursor = reading.Behind; leftOut > 0 {
				next.note = fmt.Sprintf("%d rows of these do not fit into a result; name fewer fields to see them.", leftOut)
			}
		case shown == 0 && leftOut > 0:
			next.note = doesNotFit
		default:
			next.cursor = reading.CursorAfter(shown)
		}
		return next
	}
	if response.Relaxed != nil {
		return next
	}
	hasMore := string(l.Get("has_more")) == "true"
	if next.cursor = l.Text("next_cursor"); leftOut == 0 && (next.cursor != "" || !hasMore) {
		return next
	}
	next.cursor = ""
	start, err := tool.PlaceOf(response.Request)
	if err != nil {
		return next // cannot occur for an answered request
	}
	place := tool.Place{Cursor: start.Cursor, Skip: start.Skip + shown}
	switch {
	case leftOut > 0 && shown == 0:
		next.note = doesNotFit
	case leftOut == 0 && (shown == 0 || place.Skip >= rs.MostRows):
		next.note = fmt.Sprintf("The resource server lists no more than %d, and more match. To get others, call again with %s.", place.Skip, narrowing)
	default:
		next.cursor, next.isOwn = place.CursorAt(response.Request), true
	}
	return next
}

// continuation returns the continuation to the next page. If the RS pages only one connection at a time, it continues each connection.
func (r *records) continuation(shown int) continuation {
	next := r.continuationAfter(r.response, shown, len(r.rows)-shown, "filter or connection_id")
	switch {
	case r.pagesPerConnection(shown):
		next = continuation{isWhole: next.isWhole}
		next.calls, next.note = r.nextPerConnection(shown)
	case next.cursor != "":
		call := r.input.Call
		if !next.isOwn {
			call = call.Without("changes_since") // the feed continues by its cursor alone (051b)
		}
		next.calls = call.With(rawjson.String("cursor", next.cursor))
	}
	return next
}

// pagesPerConnection reports whether several connections have more rows and the RS gives no cursor.
func (r *records) pagesPerConnection(shown int) bool {
	return r.response.Reading == nil && string(r.Get("has_more")) == "true" && r.input.ConnectionID == nil && len(r.sources) > 1 &&
		(shown < len(r.rows) || r.Text("next_cursor") == "")
}

// nextPerConnection continues each connection after its last shown row. A connection has no more rows if all its rows are shown and other
// connections have more.
func (r *records) nextPerConnection(rows int) ([]answer.Call, string) {
	shown, limit := map[string]int{}, 0
	for _, row := range r.rows[:rows] {
		shown[row.connectionID]++
	}
	for _, source := range r.sources {
		limit = max(limit, source.rows)
	}
	var calls []answer.Call
	more := 0
	for _, source := range r.sources {
		count := shown[source.connectionID]
		isRead := count == source.rows && source.rows < limit && limit == r.response.Request.Limit()
		if isRead || recordid.CheckName("connection id", source.connectionID) != nil {
			continue
		}
		if len(calls) == sourcesShown {
			more++
			continue
		}
		request := r.response.Request
		request.Query = request.Query.With("connection_id", source.connectionID)
		given := []rawjson.Member{rawjson.String("connection_id", source.connectionID)}
		if cursor := (tool.Place{Skip: count}).CursorAt(request); cursor != "" {
			given = append(given, rawjson.String("cursor", cursor))
		}
		calls = append(calls, r.input.Call.With(given...)...)
	}
	if more == 0 {
		return calls, ""
	}
	return calls, fmt.Sprintf("%d more connections may have more rows: call again with connection_id for each; %s lists them.", more, tool.SchemaTool)
}
