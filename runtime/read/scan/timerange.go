package scan

import (
	"cmp"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// timeRange is the range of a timeline: from since to before until. A nil bound is open.
type timeRange struct{ since, until *time.Time }

func (r timeRange) isBounded() bool { return r.since != nil || r.until != nil }

// filter returns the range as conditions on the time, whatever field has it.
func (r timeRange) filter() (filter rs.Filter) {
	if r.since != nil {
		filter = append(filter, rs.Condition{Field: rs.AnyTime, Operator: "gte", Value: r.since.UTC().Format(time.RFC3339Nano)})
	}
	if r.until != nil {
		filter = append(filter, rs.Condition{Field: rs.AnyTime, Operator: "lt", Value: r.until.UTC().Format(time.RFC3339Nano)})
	}
	return filter
}

func (r timeRange) holds(instant time.Time) bool {
	return (r.since == nil || !instant.Before(*r.since)) && (r.until == nil || instant.Before(*r.until))
}

// rangeOf returns the range that a filter selects. A day begins and ends at midnight in the zone (R-TIME-8).
func rangeOf(filter rs.Filter, clock tool.Clock) (selected timeRange, err error) {
	for _, each := range filter {
		from, isTime := scalar.Period([]byte(each.Value))
		if each.Field != timeKey || each.Operator == "" || !isTime {
			return selected, badTime(each)
		}
		to := from.Add(1) // the next instant
		switch period := len(each.Value); period {
		case len("2026"), len("2026-01"), len(time.DateOnly):
			switch period {
			case len("2026"):
				to = from.AddDate(1, 0, 0)
			case len("2026-01"):
				to = from.AddDate(0, 1, 0)
			default:
				to = from.AddDate(0, 0, 1)
			}
			from, to = scalar.FirstInstant(from, clock.Location()), scalar.FirstInstant(to, clock.Location())
		}
		instant := from
		if each.Operator == "gt" || each.Operator == "lte" {
			instant = to
		}
		isLower := each.Operator[0] == 'g'
		switch {
		case isLower && (selected.since == nil || instant.After(*selected.since)):
			selected.since = &instant
		case !isLower && (selected.until == nil || instant.Before(*selected.until)):
			selected.until = &instant
		}
	}
	return selected, nil
}

func badTime(condition rs.Condition) error {
	code := tool.InvalidTimeRange
	if condition.Field != timeKey {
		code = tool.InvalidFilter
	}
	return &tool.Error{
		Code: code, Param: tool.RecordsFilter,
		Message: "a timeline takes a range of " + timeKey + ` with gte, gt, lte or lt, such as {"` + timeKey + `":{"gte":"2026-03-11","lt":"2026-03-12"}}; ` +
			"got " + condition.Field + " " + cmp.Or(condition.Operator, "=") + " " + string(rawjson.Quote(tool.Shorten(condition.Value, tool.LabelCharacters))),
	}
}

// spelling is the form of a time as text. Lists are ordered by text (770), so the form decides how far their instants
// may be out of order.
type spelling struct {
	isDate    bool
	hasOffset bool // other than UTC
}

// instantOf returns the instant of a value. A date is its first instant in the zone.
func instantOf(value rawjson.Value, clock tool.Clock) (instant time.Time, form spelling, ok bool) {
	if rawjson.Kind(value) != rawjson.StringValue {
		return instant, form, false
	}
	text := scalar.TextOf(value)
	written, offset, ok := scalar.ClockTime(text)
	if !ok {
		return instant, form, false
	}
	form = spelling{isDate: scalar.IsDate(text), hasOffset: offset != scalar.UTC && offset != scalar.Local}
	if form.isDate {
		return scalar.FirstInstant(written, clock.Location()), form, true
	}
	return scalar.At(written, offset), form, true
}

// Slacks limit the disorder of the instants in a list.
const (
	secondSlack = time.Second    // fractions of different lengths: 00.5Z comes before 00Z
	offsetSlack = 28 * time.Hour // offsets from -12:00 to +14:00, or dates among times
)

func slackOf(first, next spelling) time.Duration {
	switch {
	case first.hasOffset || next.hasOffset || first.isDate != next.isDate:
		return offsetSlack
	case first.isDate:
		return 0
	}
	return secondSlack
}

// TimeField returns the field that says when the records of a stream happened, if it holds times in the recent records.
// It is empty without such a field.
func TimeField(stream *schemadoc.Stream, recent []rawjson.Cursor) string {
	return tool.TimeField(stream.Members, render.TimesByRole(stream), timesOf(recent), func(name string) bool { return holdsTimes(name, recent) })
}

// advertisedTime returns the advertised field if it has the role of a time, by the schema or by its name.
func advertisedTime(stream *schemadoc.Stream) string {
	advertised := []string{stream.Members.Text("consent_time_field"), stream.Members.Text("cursor_field")}
	withRole := render.TimesByRole(stream)
	return tool.TimeField(stream.Members, nil, nil, func(name string) bool {
		return slices.Contains(advertised, name) && (tool.TimeRole.Has(name) || slices.Contains(withRole, name))
	})
}

// timesOf returns the fields of records that hold times, and then those that hold dates.
func timesOf(records []rawjson.Cursor) []string {
	var times, dates []string
	for _, fields := range records {
		for inside := fields.Enter(rawjson.ObjectValue); inside && fields.More(); {
			name := string(fields.Name())
			switch _, form, isTime := instantOf(fields.Value(), tool.Clock{}); {
			case !isTime || slices.Contains(times, name) || slices.Contains(dates, name):
			case form.isDate:
				dates = append(dates, name)
			default:
				times = append(times, name)
			}
		}
	}
	return append(times, dates...)
}

// holdsTimes reports whether a field has a time in at least one record, and no other value in any.
func holdsTimes(name string, records []rawjson.Cursor) bool {
	holds := false
	for _, fields := range records {
		value := fields.Member(name)
		if value == nil || rawjson.Kind(value) == rawjson.Null {
			continue
		}
		if _, _, holds = instantOf(value, tool.Clock{}); !holds {
			return false
		}
	}
	return holds
}
