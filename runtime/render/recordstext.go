package render

import (
	"encoding/json"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func (r *RecordsPage) linesBefore(shown int, next continuation, note string, try, resume []answer.Call) []string {
	stream := Token(wire.Stream, r.Stream)
	if shown > 0 && r.records[0].shows(r.Stream) {
		stream = "" // every handle has it
	}
	lines := []string{words("records", stream, intToken("rows", int64(shown)), boolToken("has_more", next.hasMore()), countToken(r.Meta))}
	lines = append(lines, readingLines(r.Reading, shown)...)
	lines = append(lines, smallerLines(r.Smaller, "rows")...)
	lines = append(lines, linesOfWarnings(r.Warnings)...)
	if !r.isTimeline() && (len(r.sources) != 1 || r.ConnectionID == nil) { // otherwise the caller named it, and every handle holds it
		lines = append(lines, sourceLines(r.sources, "rows")...)
	}
	lines = append(withLine(lines, note), callLines(tryWord, try)...)
	switch bookmark := r.Bookmarked(); {
	case resume != nil:
		lines = append(lines, "next_changes_since"+followsWord)
	case bookmark != "" && next.isWhole:
		lines = append(lines, Token("next_changes_since", bookmark))
	}
	lines = append(append(lines, callLines(resumeWord, resume)...), next.lines()...)
	if next.cursor != "" && len(next.calls) == 0 {
		lines = append(lines, r.Call.Tool+" takes no cursor: it shows this page and no more.")
	}
	if r.isTimeline() {
		lines = withLine(lines, tokenIf(wire.TimeZone, r.timeZone()))
		if left := r.Envelope.Members.Get(tool.FieldsLeftOut); left != nil {
			lines = append(lines, tool.FieldsLeftOut+"="+rawjson.Visible(left))
		}
		return append(lines, timelineColumns)
	}
	return withLine(lines, columnsLine("handle", r.columns))
}

// resumeWord introduces the call that reads a feed of changes later, in either channel.
const resumeWord = "resume"

// timelineColumns names the values of a row of a timeline in text.
const timelineColumns = columnsWord + `["handle","time","data"]`

// timelineText returns a row of a timeline on one line. A line with its day precedes the first row of a day.
func (r *RecordsPage) timelineText(i int) string {
	row := r.records[i]
	shown := row.fields
	if row.members.True("deleted") {
		shown = rawjson.Object{rawjson.Bool("deleted", true)}
	}
	line := rawjson.Visible(rawjson.Array([]json.RawMessage{rawjson.Quote(row.handle), rawjson.TextOrNull(row.members.Text("time")), shown.Encode()}))
	day := r.dayOf(row)
	if i > 0 && r.dayOf(r.records[i-1]) == day {
		return line
	}
	return day + ":\n" + line
}

func (r *RecordsPage) dayOf(row *row) string {
	text := []byte(row.members.Text("time"))
	at, _ := scalar.Instant(text)
	if zone, err := time.LoadLocation(r.timeZone()); err == nil && !scalar.IsDate(text) {
		at = at.In(zone)
	}
	return at.Format("2006-01-02 Monday")
}

// timeZone returns the zone of the days of a timeline.
func (r *RecordsPage) timeZone() string { return r.Envelope.Members.Text(wire.TimeZone) }
