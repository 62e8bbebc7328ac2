package render

import (
	"context"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Records renders a page of records, the same rows in both channels: in text how to go on and then the rows in columns; in
// structured output the RS's envelope with its rows, or with what of them was asked for (R-QRY-1).
//
// A page that does not fit shows its long values by their beginning, then it is read again with a smaller limit
// (R-BUD-3). Where that is no help it ends early, and what leads on is a cursor of the adapter's.
func Records(ctx context.Context, env tool.Env, response *rs.Response, input RecordsInput) (*tool.Result, error) {
	r, err := fittingPage(ctx, env, response, func(response *rs.Response, again reread) (*records, error) {
		return openRecords(ctx, disclosed(response), input, again)
	})
	if err != nil {
		return nil, err
	}
	return within(r.response, r.page.result(r.shown, r.around), TextCharacters)
}

// records is one page of records and the part of it that is shown.
type records struct {
	listPage
	input   RecordsInput
	rows    []*row
	sources []*source // connections of the rows that the RS sent, in the order in which they appear
}

func openRecords(ctx context.Context, response *rs.Response, input RecordsInput, again reread) (*records, error) {
	envelope, err := response.List()
	if err != nil {
		return nil, err
	}
	r := &records{listPage: listPage{list: list{envelope}, response: response, again: again}, input: input}
	for i, sent := range envelope.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, ok := newRow(sent, deref(input.ConnectionID), input.Stream)
		if !ok {
			return nil, response.Unusable(fmt.Sprintf("row %d of the resource server's answer is not an object", i+1), "")
		}
		r.rows = append(r.rows, row)
	}
	fields := make([]rawjson.Object, len(r.rows))
	for i, row := range r.rows {
		if input.Fields != nil {
			row.project(input.Fields, expands(response))
		}
		fields[i] = row.fields
	}
	r.columns, r.shared = columnsOf(fields), sharedMembers(r.rows)
	r.sources = sourcesOf(len(r.rows), func(i int) string { return r.rows[i].connectionID }, func(i int) source {
		members := r.rows[i].members
		return source{displayName: members.Text("display_name"), connectorKey: schemadoc.ConnectorKey(members)}
	})
	r.fit()
	return r, nil
}

// fit shows as many rows as fit into both channels (R-BUD-5), and at least the first. Long values give way to rows: then
// they show their beginnings, as much of them as there is room for, each the same.
func (r *records) fit() {
	r.show(noCeiling)
	if r.shown == len(r.rows) {
		return
	}
	whole := *r
	r.show(ceiling{wholeCharacters, clippedCharacters})
	switch {
	case r.shown == 0:
		r.fitFirst()
	case r.shown <= whole.shown: // it is no help
		*r = whole
	default:
		r.widen(clippedCharacters, func(shown int) ceiling { return ceiling{max(wholeCharacters, shown), shown} })
	}
}

// show writes the rows with a ceiling, and shows those that fit.
func (r *records) show(most ceiling) {
	r.page = r.write(len(r.rows), most)
	r.shown, r.around = r.page.fit(len(r.rows), r.frame)
}

// write writes so many rows, in a page of all of them.
func (r *records) write(rows int, most ceiling) *page {
	page := newPage(rows, func(p *page, i int) { r.rows[i].write(p, r.columns, r.shared, most) })
	page.total = len(r.rows)
	return page
}

// widen shows more of the long values, as far as the same rows still fit.
func (r *records) widen(least int, of func(shown int) ceiling) {
	shown := widest(least, TextCharacters, func(shown int) int {
		page := r.write(r.shown, of(shown))
		return share(page.free(r.shown, r.around), page.cuts)
	})
	r.page = r.write(r.shown, of(shown))
}

// fitFirst cuts the first row, which is too large by itself: its longest values to one length.
func (r *records) fitFirst() {
	first := r.rows[0]
	r.shown, r.around = 1, r.frame(1)
	if r.write(1, ceiling{}).free(1, r.around) < 0 {
		first.narrow(TextCharacters - 2*cursorCharacters - readOnCharacters)
		r.columns = columnsOf([]rawjson.Object{first.fields})
		r.around = r.frame(1)
	}
	r.widen(0, func(shown int) ceiling { return ceiling{shown, shown} })
}

// smallerLimit is the limit of a page that fits. Over several connections the RS counts it for each; where they have no
// more rows, a smaller page would only take rows from every one of them.
func (r *records) smallerLimit() int {
	if len(r.sources) > 1 && !r.fansIn(r.shown) {
		return 0
	}
	return max(1, r.shown/max(1, len(r.sources)))
}

// frame is what both channels say around so many rows.
func (r *records) frame(shown int) frame {
	on := r.on(shown)
	before := r.head(shown, on)
	if len(r.sources) != 1 || r.input.ConnectionID == nil { // else the caller knows, and every handle says it
		before = append(before, sourceLines(r.sources, "rows")...)
	}
	around := frame{before: withLine(append(before, r.ways(on)...), columnsLine(r.columns, "handle"))}
	var once rawjson.Object
	if len(r.shared) > 0 {
		once = rawjson.Object{rawjson.Raw("shared", r.shared.Encode())}
	}
	around.open = opening(once, r.list.around(&on), "data")
	members := append(readingMembers(r.response, shown), r.again.members()...)
	members = withText(members, "note", r.notes(on))
	if _, try := r.nothing(on); try != nil {
		members = append(members, rawjson.Raw(tryWord, Calls(try)))
	}
	if call := r.resume(on); call != nil {
		members = append(members, rawjson.Raw(resumeWord, Calls(call)))
	}
	around.close = closing("]}", closed(r.response, members, on.calls))
	return around
}

// head says what the page is.
func (r *records) head(shown int, on wayOn) []string {
	meta := r.Meta()
	stream := Token("stream", r.input.Stream)
	if shown > 0 && r.rows[0].shows(r.input.Stream) {
		stream = "" // every handle says it
	}
	lines := []string{words("records", stream, intToken("rows", int64(shown)), boolToken("has_more", on.hasMore()), countToken(meta))}
	lines = append(lines, readingLines(r.response, shown)...)
	lines = append(lines, r.again.lines("rows")...)
	return append(lines, warningLines(meta)...)
}

// resumeWord introduces the call that reads a feed of changes later, in either channel.
const resumeWord = "resume"

// ways are the lines that lead on from the page.
func (r *records) ways(on wayOn) []string {
	lines := withLine(nil, r.notes(on))
	_, try := r.nothing(on)
	lines = append(lines, tryLines(try)...)
	resume := r.resume(on)
	switch bookmark := r.Text("next_changes_since"); {
	case resume != nil:
		lines = append(lines, "next_changes_since"+isIn)
	case bookmark != "" && on.whole:
		lines = append(lines, Token("next_changes_since", bookmark))
	}
	for _, call := range resume {
		lines = append(lines, resumeWord+": "+call.invocation())
	}
	lines = append(lines, on.lines()...)
	if on.cursor != "" && len(on.calls) == 0 {
		lines = append(lines, r.input.Call.Tool+" takes no cursor: it shows this page and no more.")
	}
	return lines
}

// resume is the same question to the feed, from here on (R-QRY-6).
func (r *records) resume(on wayOn) []Call {
	bookmark := r.Text("next_changes_since")
	if bookmark == "" || !on.whole {
		return nil
	}
	return r.input.Call.Without("cursor").With(rawjson.String("changes_since", bookmark))
}

// notes are what no member says by itself.
func (r *records) notes(on wayOn) string {
	var said string
	if len(r.sources) > 1 && r.response.Reading == nil {
		said = "limit is counted for each connection, and the rows stand one connection after the other: this is no one timeline."
	}
	if len(on.calls) > 0 && r.resume(on) != nil {
		said = words(said, "resume begins behind the last page: read next to the end before.")
	}
	why, _ := r.nothing(on)
	return words(said, on.ended, why)
}
