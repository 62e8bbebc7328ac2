package readon

import (
	"cmp"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// position is the place of a record in a timeline. Newest first, ties are in the order of stream, connection and record key (R-TIME-3).
type position struct {
	At         int64  `json:"t"` // nanoseconds since 1970
	Stream     string `json:"s"`
	Connection string `json:"c,omitempty"`
	Key        string `json:"k"`
}

// compare returns -1 if p comes first, newest first.
func (p position) compare(other position) int {
	return cmp.Or(cmp.Compare(other.At, p.At), cmp.Compare(p.Stream, other.Stream), cmp.Compare(p.Connection, other.Connection), cmp.Compare(p.Key, other.Key))
}

// moment is one row of a timeline.
type moment struct {
	position
	row  rawjson.Value // as the timeline shows it
	time string
	page int // of its stream, in which it was read
}

// timeRange is the range of a timeline: from since to before until. A nil bound is open.
type timeRange struct{ since, until *time.Time }

// holds reports whether an instant is in the range.
func (r timeRange) holds(at time.Time) bool {
	return (r.since == nil || !at.Before(*r.since)) && (r.until == nil || at.Before(*r.until))
}

// rangeOf returns the range that a filter selects. A day begins and ends at midnight in the zone (R-TIME-8).
func rangeOf(filter rs.Filter, clock tool.Clock) (timeRange, error) {
	var selected timeRange
	for _, each := range filter {
		text := []byte(each.Value)
		from, isTime := scalar.Period(text)
		if each.Operator == "" || !isTime {
			return selected, badTime(each)
		}
		to := from.Add(1) // of an instant, the next one
		if layouts := map[int]func(time.Time) time.Time{
			len("2026-01-02"): func(t time.Time) time.Time { return t.AddDate(0, 0, 1) },
			len("2026-01"):    func(t time.Time) time.Time { return t.AddDate(0, 1, 0) },
			len("2026"):       func(t time.Time) time.Time { return t.AddDate(1, 0, 0) },
		}; layouts[len(text)] != nil {
			from = inZone(from, clock)
			to = layouts[len(text)](from)
		}
		switch each.Operator {
		case "gte":
			selected.since = later(selected.since, from)
		case "gt":
			selected.since = later(selected.since, to)
		case "lt":
			selected.until = earlier(selected.until, from)
		case "lte":
			selected.until = earlier(selected.until, to)
		}
	}
	return selected, nil
}

func badTime(condition rs.Condition) error {
	return &tool.Error{
		Code: tool.InvalidTimeRange, Param: filterName,
		Message: "a timeline takes a range of " + timeKey + ` with gte, gt, lte or lt, such as {"` + timeKey + `":{"gte":"2026-03-11","lt":"2026-03-12"}}; ` +
			"got " + condition.Field + " " + condition.Operator + " " + string(rawjson.Quote(tool.Shorten(condition.Value, tool.LabelCharacters))),
	}
}

func later(bound *time.Time, at time.Time) *time.Time {
	if bound == nil || at.After(*bound) {
		return &at
	}
	return bound
}

func earlier(bound *time.Time, at time.Time) *time.Time {
	if bound == nil || at.Before(*bound) {
		return &at
	}
	return bound
}

// inZone returns the midnight in the zone of a date that was read as a midnight in UTC.
func inZone(date time.Time, clock tool.Clock) time.Time {
	year, month, day := date.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, clock.Location())
}

// spelling is the form of a time as text. Lists are in the order of the texts (770), so it decides how far their instants may be out of
// order.
type spelling struct {
	isDate bool
	offset bool // it states another offset than UTC
}

// instantOf returns the instant of a value. A date is its midnight in the zone.
func instantOf(value rawjson.Value, clock tool.Clock) (at time.Time, form spelling, ok bool) {
	if rawjson.Kind(value) != rawjson.StringValue {
		return at, form, false
	}
	text := scalar.TextOf(value)
	written, offset, ok := scalar.ClockTime(text)
	if !ok {
		return at, form, false
	}
	form = spelling{isDate: scalar.IsDate(text), offset: offset != scalar.UTC && offset != scalar.Local}
	if form.isDate {
		return inZone(written, clock), form, true
	}
	return scalar.At(written, offset), form, true
}

// Slacks are how far the instants of a list may be out of order.
const (
	secondSlack = time.Second    // fractions of different lengths: 00.5Z comes before 00Z
	offsetSlack = 28 * time.Hour // offsets from -12:00 to +14:00, or dates among times
)

func slackOf(first, next spelling) time.Duration {
	switch {
	case first.offset || next.offset || first.isDate != next.isDate:
		return offsetSlack
	case first.isDate:
		return 0
	}
	return secondSlack
}
