package render

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Records renders a page of records: in text the handle of every row, previews of the first ones,
// and how to go on; in structured output the RS's envelope with its rows untouched, or projected to
// the requested fields (R-QRY-1).
//
// A page that does not fit is read again with a smaller limit (R-BUD-3). Where that is no help, rows are
// left out at its end; it then carries no cursor, which would lead past them, but says how to read on.
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
	shown    int               // rows from the first on
	short    *shortened        // how the first row was cut, when it is too large by itself
	fitted   json.RawMessage   // the structured output of the rows that are shown
	heading  []string          // the text before the rows that are shown; nil until it is asked for
	next     []Call            // what calls gives for them; nil until it is asked for, and when there is none
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
			return nil, response.Unusable(fmt.Sprintf("row %d of the resource server's answer is not an object", i+1), nil)
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
	p.fitted = fitPage(p, rowLengths(p.encoded))
	if p.shown == 0 && len(p.rows) > 0 {
		p.show(1)
		p.shortenFirst()
		p.fitted = p.structured()
	}
}

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
	if p.leftOut() > 0 {
		members = append(members, rawjson.Int("rows_left_out", int64(p.leftOut())))
	}
	if p.short != nil {
		members = append(members, p.short.members()...)
	}
	return p.list.structured(p.response, nil, p.encoded[:p.shown], p.leftOut() == 0, members, p.calls())
}

// calls lead on from the page: to what was left out, or to the next page, or, when the RS pages
// only one connection at a time, to each connection.
func (p *page) calls() []Call {
	if p.next == nil {
		p.next = p.newCalls()
	}
	return p.next
}

func (p *page) newCalls() []Call {
	var calls []Call
	if p.short != nil {
		calls = append(calls, p.short.calls...)
	}
	if p.leftOut() > 0 {
		return append(calls, p.smaller()...)
	}
	if cursor := p.Text("next_cursor"); cursor != "" {
		return append(calls, p.input.Call.Without("changes_since").With(rawjson.String("cursor", cursor))...)
	}
	if string(p.Get("has_more")) == "true" && p.input.ConnectionID == nil {
		for _, source := range p.sources {
			if len(calls) == sourcesShown {
				break
			}
			if recordid.CheckName("connection id", source.connectionID) != nil {
				continue
			}
			calls = append(calls, p.input.Call.With(rawjson.String("connection_id", source.connectionID))...)
		}
	}
	return calls
}

// smallerLimit is the limit of a page that fits. Over several connections the RS counts it for each.
func (p *page) smallerLimit() int { return max(1, p.shown/max(1, len(p.sources))) }

// smaller reads the same page with as many rows as fit. There is no such call when the RS did not keep
// to a limit that small.
func (p *page) smaller() []Call {
	limit := p.smallerLimit()
	if sent, ok := p.response.Request.Query.Get("limit"); ok && sent == strconv.Itoa(limit) {
		return nil
	}
	return p.input.Call.With(rawjson.Int("limit", int64(limit)))
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
				connectorKey: ConnectorKey(row.members),
			}
			found[row.connectionID] = known
			sources = append(sources, known)
		}
		known.rows++
	}
	return sources
}
