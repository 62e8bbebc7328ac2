package render

import (
	"encoding/json"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// timelineColumns names the values of a row of a timeline in text.
const timelineColumns = columnsWord + `["handle","time","data"]`

// isTimeline reports whether the rows are of all streams, in the order of time (R-TIME-1).
func (r *records) isTimeline() bool { return r.input.Stream == tool.EveryStream }

// timelineText returns a row of a timeline on one line, under its day if the row before it has another one.
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
