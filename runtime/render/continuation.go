package render

import (
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// continuation says how to get the rows after a page. Both channels are written from it and so agree (R-HAND-8).
type continuation struct {
	isWhole bool   // the page shows every row that the RS sent, so its paging members are valid
	cursor  string // of the next page, if any
	isOwn   bool   // the adapter made the cursor
	isCut   bool   // rows follow that no cursor reaches
	calls   []answer.Call
	note    string // what to do if more rows match than the cursor and the calls reach
}

// hasMore reports whether rows follow the page, as far as a call returns them. Only the note mentions others.
func (c continuation) hasMore() bool { return len(c.calls) > 0 || c.cursor != "" || c.isCut }

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
	if len(c.calls) > 1 { // R-CLAIM-7; structured output has the kind of each
		lines = append(lines, "Follow each next: together they have the rest.")
	}
	for _, call := range c.calls {
		lines = append(lines, Line(call))
	}
	return lines
}

// doesNotFit is the note of a page that ends before a row that is too large.
const doesNotFit = "The next row does not fit into a result."

// continuationAfter returns the continuation after the shown rows, without calls. Its cursor is the RS's, or one that
// skips the shown rows. narrowing names the arguments to change if the RS ends a list that has more rows.
func continuationAfter(p answer.Paging, reading *answer.Reading, shown, leftOut int, narrowing string) continuation {
	next := continuation{isWhole: leftOut == 0}
	if reading != nil {
		next.isOwn = true
		switch {
		case reading.CursorAfter == nil:
		case shown == 0 && leftOut > 0:
			next.note = doesNotFit
		default:
			next.cursor = reading.CursorAfter(shown)
		}
		return next
	}
	if next.cursor = p.Cursor; leftOut == 0 && (next.cursor != "" || !p.HasMore) {
		return next
	}
	next.cursor = ""
	switch skipped := p.Skipped + shown; {
	case leftOut > 0 && shown == 0:
		next.note = doesNotFit
	case leftOut == 0 && (shown == 0 || skipped >= maxRows):
		next.note = fmt.Sprintf("The resource server lists no more than %d, and more match: narrow with %s.", skipped, narrowing)
	default:
		next.cursor, next.isOwn = p.Places.After(shown), true
	}
	return next
}

// maxRows is the most rows that a resource server sends on a page.
const maxRows = 100

// continuation returns the continuation to the next page. If the RS pages only one connection at a time, it continues
// each connection.
func (r *RecordsPage) continuation(shown int) continuation {
	next := continuationAfter(r.Paging, r.Reading, shown, len(r.records)-shown, "filter or connection_id")
	switch {
	case r.pagesPerConnection(shown):
		next = continuation{isWhole: next.isWhole}
		next.calls, next.note = r.nextPerConnection(shown)
	case next.cursor != "":
		call := r.Call
		if !next.isOwn {
			call = call.Without(wire.ChangesSince) // the feed continues by its cursor alone (051b)
		}
		next.calls = call.With(rawjson.String(wire.Cursor, next.cursor))
	}
	return next
}

// pagesPerConnection reports whether several connections have more rows and the RS gives no cursor.
func (r *RecordsPage) pagesPerConnection(shown int) bool {
	return r.Reading == nil && r.HasMore && r.ConnectionID == nil && len(r.sources) > 1 && (shown < len(r.records) || r.Cursor == "")
}

// nextPerConnection continues each connection after its last shown row. A connection has no more rows if all its rows
// are shown and other connections have more.
func (r *RecordsPage) nextPerConnection(rows int) ([]answer.Call, string) {
	shown, limit := map[string]int{}, 0
	for _, row := range r.records[:rows] {
		shown[row.connectionID]++
	}
	for _, source := range r.sources {
		limit = max(limit, source.rows)
	}
	var calls []answer.Call
	more := 0
	for _, source := range r.sources {
		count := shown[source.connectionID]
		isRead := count == source.rows && source.rows < limit && limit == r.Limit
		if isRead || recordid.CheckName("connection id", source.connectionID) != nil {
			continue
		}
		if len(calls) == sourcesShown {
			more++
			continue
		}
		given := rawjson.Object{rawjson.String(wire.ConnectionID, source.connectionID)}
		given = withText(given, wire.Cursor, r.Places.AfterOf(source.connectionID, count))
		calls = append(calls, r.Call.With(given...)...)
	}
	if more == 0 {
		return calls, ""
	}
	return calls, fmt.Sprintf("%d more connections may have more rows: read each by its connection_id; %s lists them.", more, tool.SchemaTool)
}
