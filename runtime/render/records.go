package render

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Records renders a page of records, the same rows in both channels: the text says how to continue and then lists the rows in columns;
// structured output is the RS's envelope with its rows, or with the requested fields of them (R-QRY-1).
//
// A page that does not fit shows the beginnings of its long values; if that is not enough it is read again with a smaller limit
// (R-BUD-3). Where that does not help either, it ends early, and the adapter makes the cursor of the next page.
func Records(ctx context.Context, env tool.Env, response *rs.Response, input RecordsInput) (*tool.Result, error) {
	r, err := fittingPage(ctx, env, response, func(response *rs.Response, again reread) (*records, error) {
		return openRecords(ctx, withAbsent(response), input, again)
	})
	if err != nil {
		return nil, err
	}
	return r.result()
}

type records struct {
	listPage
	input   RecordsInput
	rows    []*row
	sources []*source // the connections of the rows that the RS sent
}

func openRecords(ctx context.Context, response *rs.Response, input RecordsInput, again reread) (*records, error) {
	envelope, err := response.List()
	if err != nil {
		return nil, err
	}
	r := &records{listPage: listPage{list: list{envelope}, response: response, reread: again}, input: input}
	members, err := response.Objects()
	if err != nil {
		return nil, err
	}
	r.rows = rowsOf(members, deref(input.ConnectionID), input.Stream)
	fields := make([]rawjson.Object, len(r.rows))
	for i, row := range r.rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if row == nil {
			return nil, response.Unusable(fmt.Sprintf("row %d of the resource server's answer is not an object", i+1), "")
		}
		if input.Fields != nil {
			row.project(input.Fields, isExpanding(response))
		}
		fields[i] = row.fields
	}
	r.columns, r.shared = columnsOf(fields), sharedMembers(r.rows)
	r.sources = sourcesOf(len(r.rows), func(i int) source {
		members := r.rows[i].members
		return source{
			connectionID: r.rows[i].connectionID, displayName: members.Text("display_name"), connectorKey: schemadoc.ConnectorKey(members),
		}
	})
	r.fit()
	return r, nil
}

// fit shows as many rows as fit into both channels (R-BUD-5), and at least one. If not all fit, it clips long values to one length.
func (r *records) fit() {
	r.show(unclipped)
	if r.shown == len(r.rows) {
		return
	}
	whole := *r
	r.show(clipLimit{wholeCharacters, clippedCharacters})
	switch {
	case r.shown == 0:
		r.fitFirst()
	case r.shown <= whole.shown: // clipping does not help
		*r = whole
	default:
		r.widen(clippedCharacters, func(keep int) clipLimit { return clipLimit{max(wholeCharacters, keep), keep} })
	}
}

func (r *records) show(limit clipLimit) {
	r.page = r.write(len(r.rows), limit)
	r.shown, r.shownFrame = r.page.fit(len(r.rows), r.frame)
}

// write writes the leading rows of the page.
func (r *records) write(rows int, limit clipLimit) *page {
	page := newPage(rows, func(i int, text, structured []byte) ([]byte, []byte) {
		row := r.rows[i]
		shown := row.show(limit)
		structured = row.appendObject(structured, r.shared, shown, structuredReferences(shown.references))
		if r.isTimeline() {
			return append(text, r.timelineText(i)...), structured
		}
		return row.text(r.shared, shown).append(text, r.columns), structured
	})
	page.total = len(r.rows)
	return page
}

func (r *records) widen(least int, limit func(keep int) clipLimit) {
	keep := Largest(least, TextCharacters, func(keep int) bool { return r.write(r.shown, limit(keep)).fits(r.shown, r.shownFrame) })
	r.page = r.write(r.shown, limit(keep))
}

// fitFirst clips a first row that is too large for a result. Its longest values are clipped to one length.
func (r *records) fitFirst() {
	first := r.rows[0]
	r.shown, r.shownFrame = 1, r.frame(1)
	if !r.write(1, clipLimit{}).fits(1, r.shownFrame) {
		first.narrow(TextCharacters - 2*cursorReserve - readOnCharacters)
		r.columns = columnsOf([]rawjson.Object{first.fields})
		r.shownFrame = r.frame(1)
	}
	r.widen(0, func(keep int) clipLimit { return clipLimit{keep, keep} })
}

// smallerLimit returns the limit of a page that fits, or 0. The RS counts the limit for each connection; if none has more rows, a smaller
// page would only lose rows.
func (r *records) smallerLimit() int {
	if len(r.sources) > 1 && !r.pagesPerConnection(r.shown) {
		return 0
	}
	return max(1, r.shown/max(1, len(r.sources)))
}

func (r *records) frame(shown int) frame {
	next := r.continuation(shown)
	note, try := r.notes(next)
	resume := r.resume(next)
	before := []byte{'{'}
	if len(r.shared) > 0 {
		before = r.shared.Append(rawjson.AppendName(before, "shared"))
	}
	before = r.members(&next).AppendMembers(append(rawjson.AppendName(before, "data"), '{'))
	after := append(readingMembers(r.response, shown), r.reread.members()...)
	after = withCalls(withText(after, "note", note), tryWord, try)
	after = finish(r.response, withCalls(after, resumeWord, resume), next.calls)
	return frame{
		linesBefore:      r.linesBefore(shown, next, note, try, resume),
		structuredBefore: append(rawjson.AppendName(before, "data"), '['), structuredAfter: append(after.AppendMembers([]byte("]}")), '}'),
	}
}

func (r *records) linesBefore(shown int, next continuation, note string, try, resume []answer.Call) []string {
	meta := r.Meta()
	stream := Token("stream", r.input.Stream)
	if shown > 0 && r.rows[0].shows(r.input.Stream) {
		stream = "" // every handle has it
	}
	lines := []string{words("records", stream, intToken("rows", int64(shown)), boolToken("has_more", next.hasMore()), countToken(meta))}
	lines = append(lines, readingLines(r.response, shown)...)
	lines = append(lines, r.reread.lines("rows")...)
	lines = append(lines, warningLines(meta)...)
	if !r.isTimeline() && (len(r.sources) != 1 || r.input.ConnectionID == nil) { // otherwise the caller named it, and every handle holds it
		lines = append(lines, sourceLines(r.sources, "rows")...)
	}
	lines = append(withLine(lines, note), callLines(tryWord, try)...)
	switch bookmark := r.Text("next_changes_since"); {
	case resume != nil:
		lines = append(lines, "next_changes_since"+followsWord)
	case bookmark != "" && next.isWhole:
		lines = append(lines, Token("next_changes_since", bookmark))
	}
	lines = append(append(lines, callLines(resumeWord, resume)...), next.lines()...)
	if next.cursor != "" && len(next.calls) == 0 {
		lines = append(lines, r.input.Call.Tool+" takes no cursor: it shows this page and no more.")
	}
	if r.isTimeline() {
		return append(withLine(lines, tokenIf("time_zone", r.Text("time_zone"))), timelineColumns)
	}
	return withLine(lines, columnsLine("handle", r.columns))
}

// resumeWord introduces the call that reads a feed of changes later, in either channel.
const resumeWord = "resume"

// resume returns the call that reads later changes from the feed (R-QRY-6).
func (r *records) resume(next continuation) []answer.Call {
	bookmark := r.Text("next_changes_since")
	if bookmark == "" || !next.isWhole {
		return nil
	}
	return r.input.Call.Without("cursor").With(rawjson.String("changes_since", bookmark))
}

// notes returns what the members do not show, and the calls to try on a page without rows.
func (r *records) notes(next continuation) (string, []answer.Call) {
	var notes []string
	if len(r.sources) > 1 && r.response.Reading == nil {
		notes = append(notes, "limit counts per connection, and the rows are listed one connection after another: this is not one timeline.")
	}
	if len(next.calls) > 0 && r.resume(next) != nil {
		notes = append(notes, "resume starts after the last page: follow next to the end first.")
	}
	why, try := r.noRowsNote(next)
	return words(append(notes, next.note, why)...), try
}

// timelineColumns names the values of a row of a timeline in text.
const timelineColumns = columnsWord + `["handle","time","data"]`

// isTimeline reports whether the rows are of all streams, in the order of time (R-TIME-1).
func (r *records) isTimeline() bool { return r.input.Stream == tool.EveryStream }

// timelineText returns a row of a timeline on one line. A line with its day precedes the first row of a day.
func (r *records) timelineText(i int) string {
	row := r.rows[i]
	shown := row.fields
	if row.members.True("deleted") {
		shown = rawjson.Object{rawjson.Bool("deleted", true)}
	}
	line := rawjson.Visible(rawjson.Array([]json.RawMessage{rawjson.Quote(row.handle), rawjson.TextOrNull(row.members.Text("time")), shown.Encode()}))
	day := r.dayOf(row)
	if i > 0 && r.dayOf(r.rows[i-1]) == day {
		return line
	}
	return day + ":\n" + line
}

func (r *records) dayOf(row *row) string {
	text := []byte(row.members.Text("time"))
	at, _ := scalar.Instant(text)
	if zone, err := time.LoadLocation(r.Text("time_zone")); err == nil && !scalar.IsDate(text) {
		at = at.In(zone)
	}
	return at.Format("2006-01-02 Monday")
}
