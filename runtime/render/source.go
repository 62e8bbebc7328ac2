package render

import (
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// sourcesShown is the maximum number of connections that a text lists.
const sourcesShown = 10

// source is one connection of a page.
type source struct {
	connectionID string
	displayName  string
	connectorKey string
	rows         int
}

// sourcesOf are the connections of so many rows, in the order in which they appear. The first row of each describes it.
func sourcesOf(rows int, connection func(i int) string, of func(i int) source) []*source {
	var sources []*source
	for i := range rows {
		id := connection(i)
		at := slices.IndexFunc(sources, func(known *source) bool { return known.connectionID == id })
		if at < 0 {
			at = len(sources)
			one := of(i)
			one.connectionID = id
			sources = append(sources, &one)
		}
		sources[at].rows++
	}
	return sources
}

// sourceLines say once what a connection is, and how many rows are of it.
func sourceLines(sources []*source, noun string) []string {
	count := func(source *source) string { return intToken(noun, int64(source.rows)) }
	if len(sources) == 1 { // the head counts its rows
		count = func(*source) string { return "" }
	}
	var lines []string
	for i, source := range sources {
		if i == sourcesShown {
			return append(lines, fmt.Sprintf("more_sources=%d", len(sources)-i))
		}
		if source.connectionID != "" {
			lines = append(lines, "source "+words(
				Token("connection_id", source.connectionID), tokenIf("connector_key", tool.Clip(source.connectorKey, tool.LabelCharacters)),
				tokenIf("display_name", tool.Clip(source.displayName, tool.LabelCharacters)), count(source),
			))
		}
	}
	return lines
}

// on leads to the next page, or, when the RS pages only one connection at a time, to the next rows of each.
func (r *records) on(shown int) wayOn {
	on := r.from(r.response, shown, len(r.rows)-shown, "filter or connection_id")
	switch {
	case r.fansIn(shown):
		on = wayOn{whole: on.whole}
		on.calls, on.ended = r.eachSource(shown)
	case on.cursor != "":
		call := r.input.Call
		if !on.made {
			call = call.Without("changes_since") // the feed goes on by its cursor alone (051b)
		}
		on.calls = call.With(rawjson.String("cursor", on.cursor))
	}
	return on
}

// fansIn reports whether several connections have more rows, which the RS gives no cursor for. Where none of them has, the
// rows that are left out follow in the same list.
func (r *records) fansIn(shown int) bool {
	return r.response.Reading == nil && string(r.Get("has_more")) == "true" && r.input.ConnectionID == nil && len(r.sources) > 1 &&
		(shown < len(r.rows) || r.Text("next_cursor") == "")
}

// eachSource goes on in each connection right after its last row that is shown. One that has fewer rows than others,
// and all of them on the page, has no more. The calls are few; what gets the rest is said.
func (r *records) eachSource(rows int) ([]Call, string) {
	shown, limit := map[string]int{}, 0
	for _, row := range r.rows[:rows] {
		shown[row.connectionID]++
	}
	for _, source := range r.sources {
		limit = max(limit, source.rows)
	}
	var calls []Call
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
