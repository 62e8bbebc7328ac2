package render

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Records renders a page of records: in text the handle of every row, previews of the first ones,
// and how to go on; in structured output the RS's envelope with its rows untouched, or projected to
// the requested fields (R-QRY-1).
//
// A page that does not fit shows its long values by their beginning, then it is read again with a smaller limit
// (R-BUD-3). Where that is no help it ends early, and what leads on is a cursor of the adapter's.
func Records(ctx context.Context, env tool.Env, response *rs.Response, input RecordsInput) (*tool.Result, error) {
	page, err := fittingPage(ctx, env, response, func(response *rs.Response, again reread) (*page, error) {
		return openPage(response, input, again)
	})
	if err != nil {
		return nil, err
	}
	result := &tool.Result{Text: page.text(), Structured: page.fitted}
	return within(page.response, result, TextCharacters)
}

// page is one page of records and the part of it that is shown.
type page struct {
	list
	response *rs.Response
	input    RecordsInput
	again    reread
	rows     []*row
	handles  []string          // the line of each row that names it
	sources  []*source         // connections of the rows that the RS sent, in the order in which they appear
	encoded  []json.RawMessage // the rows as structured output shows them
	cuts     [][]cut           // what was cut of each row; nil when nothing was
	dropped  []string          // fields of the first row that are left out, when it is too large by itself
	shown    int               // rows from the first on
	fitted   json.RawMessage   // the structured output of the rows that are shown
	heading  []string          // the text before the rows that are shown; nil until it is asked for
	next     *wayOn            // what on gives for them; nil until it is asked for
}

func openPage(response *rs.Response, input RecordsInput, again reread) (*page, error) {
	envelope, err := response.List()
	if err != nil {
		return nil, err
	}
	p := &page{list: list{envelope}, response: response, input: input, again: again}
	rows := len(envelope.Rows)
	p.rows, p.handles, p.encoded = make([]*row, 0, rows), make([]string, 0, rows), make([]json.RawMessage, 0, rows)
	read, last := make([]row, rows), &row{}
	for i, value := range envelope.Rows {
		row := &read[i]
		if !row.read(value, deref(input.ConnectionID), input.Stream, last) {
			return nil, response.Unusable(fmt.Sprintf("row %d of the resource server's answer is not an object", i+1), "")
		}
		last = row
		p.rows = append(p.rows, row)
		p.handles = append(p.handles, row.handleLine())
		if input.Fields != nil {
			row.project(input.Fields, expands(response))
			value = row.members.Encode()
		}
		p.encoded = append(p.encoded, value)
	}
	p.sources = sourcesOf(p.rows)
	p.shrink()
	return p, nil
}

// shrink shows as many rows as fit into both channels, each with its handle (R-BUD-5), and at least
// the first.
func (p *page) shrink() {
	p.fitted = p.fit()
	if p.leftOut() > 0 {
		p.clip()
	}
}

func (p *page) fit() json.RawMessage { return fitPage(p, rowLengths(p.encoded), len(p.rows)) }

// rowLengths are the lengths of rows in characters, or in bytes when even these fit into a channel.
func rowLengths(rows []json.RawMessage) []int {
	lengths := make([]int, len(rows))
	bytes := 0
	for i, row := range rows {
		lengths[i] = len(row)
		bytes += len(row)
	}
	if bytes <= ChannelCharacters {
		return lengths
	}
	for i, row := range rows {
		lengths[i] = rawLength(row)
	}
	return lengths
}

func (p *page) show(rows int) { p.shown, p.heading, p.next = rows, nil, nil }

// leftOut is the number of rows that the RS sent and the page does not show.
func (p *page) leftOut() int { return len(p.rows) - p.shown }

func (p *page) total() int { return len(p.rows) }

func (p *page) structured() json.RawMessage {
	handles := make([]string, p.shown)
	for i, row := range p.rows[:p.shown] {
		handles[i] = row.handle
	}
	members := rawjson.Object{rawjson.Strings("ids", handles)}
	members = append(members, p.again.members()...)
	members = append(members, p.cutMembers()...)
	members = append(members, p.on().members()...)
	return p.list.structured(p.response, nil, p.encoded[:p.shown], members, p.on())
}

// on leads to the next page, or, when the RS pages only one connection at a time, to the next rows of each.
func (p *page) on() wayOn {
	if p.next == nil {
		on := p.newWayOn()
		p.next = &on
	}
	return *p.next
}

func (p *page) newWayOn() wayOn {
	on := p.from(p.response, p.shown, p.leftOut(), "filter or connection_id")
	switch {
	case p.fansIn():
		on = wayOn{whole: on.whole}
		on.calls, on.ended = p.eachSource()
	case on.cursor != "":
		call := p.input.Call
		if !on.made {
			call = call.Without("changes_since") // the feed goes on by its cursor alone (051b)
		}
		on.calls = call.With(rawjson.String("cursor", on.cursor))
	}
	return on
}

// fansIn reports whether several connections have more rows, which the RS gives no cursor for. Where none of them has, the
// rows that are left out follow in the same list.
func (p *page) fansIn() bool {
	return string(p.Get("has_more")) == "true" && p.input.ConnectionID == nil && len(p.sources) > 1 &&
		(p.leftOut() > 0 || p.Text("next_cursor") == "")
}

// eachSource goes on in each connection right after its last row that is shown. One that has fewer rows than others,
// and all of them on the page, has no more. The calls are few; what gets the rest is said.
func (p *page) eachSource() ([]Call, string) {
	shown, limit := map[string]int{}, 0
	for _, row := range p.rows[:p.shown] {
		shown[row.connectionID]++
	}
	for _, source := range p.sources {
		limit = max(limit, source.rows)
	}
	var calls []Call
	more := 0
	for _, source := range p.sources {
		count := shown[source.connectionID]
		isRead := count == source.rows && source.rows < limit && limit == p.response.Request.Limit()
		if isRead || recordid.CheckName("connection id", source.connectionID) != nil {
			continue
		}
		if len(calls) == sourcesShown {
			more++
			continue
		}
		request := p.response.Request
		request.Query = request.Query.With("connection_id", source.connectionID)
		given := []rawjson.Member{rawjson.String("connection_id", source.connectionID)}
		if cursor := (tool.Place{Skip: count}).CursorAt(request); cursor != "" {
			given = append(given, rawjson.String("cursor", cursor))
		}
		calls = append(calls, p.input.Call.With(given...)...)
	}
	if more == 0 {
		return calls, ""
	}
	return calls, fmt.Sprintf("%d more connections may have more rows: call again with connection_id for each; %s lists them.", more, tool.SchemaTool)
}

// smallerLimit is the limit of a page that fits. Over several connections the RS counts it for each; where they have no
// more rows, a smaller page would only take rows from every one of them.
func (p *page) smallerLimit() int {
	if len(p.sources) > 1 && !p.fansIn() {
		return 0
	}
	return max(1, p.shown/max(1, len(p.sources)))
}

// source is one connection of a page.
type source struct {
	connectionID string
	displayName  string
	connectorKey string
	rows         int
}

func sourcesOf(rows []*row) []*source {
	found := map[string]*source{}
	var sources []*source
	for _, row := range rows {
		known := found[row.connectionID]
		if known == nil {
			known = &source{
				connectionID: row.connectionID,
				displayName:  row.members.Text("display_name"),
				connectorKey: schemadoc.ConnectorKey(row.members),
			}
			found[row.connectionID] = known
			sources = append(sources, known)
		}
		known.rows++
	}
	return sources
}
