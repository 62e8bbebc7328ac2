package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// RecordsPage is a page of records as far as it fits: the same rows in both channels. The text says how to continue and
// then lists the rows in columns. Structured output is the envelope with its rows, or with the requested fields of them
// (R-QRY-1).
type RecordsPage struct {
	*answer.Rows
	records    []*row
	sources    []*source // the connections of the records
	columns    rawjson.Object
	page       *page
	shown      int   // the number of leading rows
	shownFrame frame // of these
}

// FitRecords returns a page with as many rows as fit into both channels (R-BUD-3). It clips long values if not all rows
// fit whole.
func FitRecords(rows *answer.Rows) *RecordsPage {
	r := &RecordsPage{Rows: rows, records: make([]*row, len(rows.Records))}
	fields, all := make([]rawjson.Object, len(rows.Records)), make([]row, len(rows.Records))
	for i, record := range rows.Records {
		row := &all[i]
		row.read(record.Members, record.Data, scalar.OrZero(rows.ConnectionID), rows.Stream)
		if rows.Fields != nil {
			row.project(rows.Fields, rows.Expands)
		}
		r.records[i], fields[i] = row, row.fields
	}
	r.columns = columnsOf(fields)
	r.sources = sourcesOf(len(r.records), func(i int) source {
		members := r.records[i].members
		return source{
			connectionID: r.records[i].connectionID, displayName: members.Text("display_name"), connectorKey: schemadoc.ConnectorKey(members),
		}
	})
	for _, each := range r.sources {
		each.known = r.knownOf(each)
	}
	r.fit()
	return r
}

// Result returns both channels. The page must not be used afterwards.
func (r *RecordsPage) Result() (*tool.Result, error) {
	return bounded(r.Origin, r.page.result(r.shown, r.shownFrame), TextCharacters)
}

// fit shows as many rows as fit into both channels (R-BUD-5), and at least one. If not all fit, it clips long values to
// one length.
func (r *RecordsPage) fit() {
	r.show(unclipped)
	if r.shown == len(r.records) {
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

func (r *RecordsPage) show(limit clipLimit) {
	r.page = r.write(len(r.records), limit)
	r.shown, r.shownFrame = r.page.fit(len(r.records), r.frame)
}

// write writes the leading rows of the page.
func (r *RecordsPage) write(rows int, limit clipLimit) *page {
	page := newPage(rows, func(i int, text, structured []byte) ([]byte, []byte) {
		row := r.records[i]
		shown := row.show(limit)
		structured = row.appendObject(structured, r.sourceOf(row).known, shown, structuredReferences(shown.references))
		if r.isTimeline() {
			return append(text, r.timelineText(i)...), structured
		}
		return row.text(shown).append(text, r.columns), structured
	})
	page.total = len(r.records)
	return page
}

func (r *RecordsPage) widen(least int, limit func(keep int) clipLimit) {
	keep := Largest(least, TextCharacters, func(keep int) bool { return r.write(r.shown, limit(keep)).fits(r.shown, r.shownFrame) })
	r.page = r.write(r.shown, limit(keep))
}

// fitFirst clips a first row that is too large for a result. Its longest values are clipped to one length.
func (r *RecordsPage) fitFirst() {
	first := r.records[0]
	r.shown, r.shownFrame = 1, r.frame(1)
	if !r.write(1, clipLimit{}).fits(1, r.shownFrame) {
		first.narrow(TextCharacters - 2*cursorReserve - readOnCharacters)
		r.columns = columnsOf([]rawjson.Object{first.fields})
		r.shownFrame = r.frame(1)
	}
	r.widen(0, func(keep int) clipLimit { return clipLimit{keep, keep} })
}

// SmallerLimit returns the limit of a smaller page whose rows all fit, or 0 if this page should be shown. The RS counts
// the limit for each connection; if none has more rows, a smaller page would only lose rows.
func (r *RecordsPage) SmallerLimit() int {
	if r.shown == len(r.records) || len(r.sources) > 1 && !r.pagesPerConnection(r.shown) {
		return 0
	}
	return max(1, r.shown/max(1, len(r.sources)))
}

// sourceOf returns the connection of a row.
func (r *RecordsPage) sourceOf(row *row) *source {
	return r.sources[slices.IndexFunc(r.sources, func(s *source) bool { return s.connectionID == row.connectionID })]
}

// isTimeline reports whether the rows are of all streams, in the order of time (R-TIME-1).
func (r *RecordsPage) isTimeline() bool { return r.Stream == tool.EveryStream }

// resume returns the call that reads later changes from the feed (R-QRY-6).
func (r *RecordsPage) resume(next continuation) []answer.Call {
	bookmark := r.Bookmarked()
	if bookmark == "" || !next.isWhole {
		return nil
	}
	return r.Call.Without(wire.Cursor).With(rawjson.String(wire.ChangesSince, bookmark))
}

// notes returns what the members do not show, and the calls to try on a page without rows.
func (r *RecordsPage) notes(shown int, next continuation) (string, []answer.Call) {
	var notes []string
	if r.Reading != nil && 0 < shown && shown <= len(r.Reading.Ties) && r.Reading.Ties[shown-1] { // R-CLAIM-7
		notes = append(notes, "The page ends between rows of equal value: the next row belongs to the same place in the order.")
	}
	switch isSeveral := len(r.sources) > 1; { // R-QRY-5
	case isSeveral && r.Reading == nil:
		notes = append(notes, "limit counts per connection, and the rows are listed one connection after another: this is not one timeline.")
	case r.Reading != nil && r.Reading.IsPerConnection && shown > 0:
		notes = append(notes, "The connections are read one after another: this is not one timeline.")
	}
	if len(next.calls) > 0 && r.resume(next) != nil {
		notes = append(notes, "resume starts after the last page: follow next to the end first.")
	}
	why, try := r.noRowsNote(next)
	return words(append(notes, next.note, why, LimitsNote(r.Limits))...), try
}
