package render

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tally"
)

// readByAdapter says in both channels who read the records of an answer (R-SCAN-6).
const readByAdapter = "adapter"

// isWhole reports whether an answer tells of all that was asked for: the resource server's does, as far as it says.
func isWhole(response *rs.Response) bool { return response.Reading == nil || response.Reading.Complete }

// readingLines say in text that the adapter read a page that shows so many rows, how many records it read, and how far.
func readingLines(response *rs.Response, rows int) []string {
	if response.Reading == nil {
		return nil
	}
	reading := response.Reading.Ending(rows)
	said := []string{
		Token("read_by", readByAdapter), intToken("records_read", reading.Read), intToken("matched", reading.Matched),
		boolToken("complete", reading.Complete),
	}
	if upTo := upTo(reading); upTo != nil {
		said = append(said, RawToken("up_to", upTo.Encode()))
	}
	return withLine([]string{words(said...)}, noteOf(reading))
}

// readingMembers say the same in structured output.
func readingMembers(response *rs.Response, rows int) rawjson.Object {
	if response.Reading == nil {
		return nil
	}
	reading := response.Reading.Ending(rows)
	about := rawjson.Object{
		rawjson.String("read_by", readByAdapter), rawjson.Int("records_read", reading.Read), rawjson.Int("matched", reading.Matched),
		rawjson.Bool("complete", reading.Complete),
	}
	about = withText(about, "note", noteOf(reading))
	members := rawjson.Object{rawjson.Raw("reading", about.Encode())}
	if upTo := upTo(reading); upTo != nil {
		members = append(members, rawjson.Raw("up_to", upTo.Encode()))
	}
	return members
}

// noteOf says what of a reading is not final: no count and no "none" of an incomplete one is.
func noteOf(reading rs.Reading) string {
	if reading.Complete {
		return reading.Note
	}
	return words("What is said here holds for the records up to up_to; those behind it are not looked at yet.", reading.Note)
}

// upTo is the record that was looked at last; nil when that were all, or none.
func upTo(reading rs.Reading) rawjson.Object {
	if reading.Complete || reading.UpTo.ID == "" {
		return nil
	}
	return withText(rawjson.Object{rawjson.String("id", reading.UpTo.ID)}, "time", reading.UpTo.Time)
}

// rest is the same aggregate of the records that are unread; nil when nothing tells which these are.
func (a *aggregation) rest() []Call {
	if a.response.Reading == nil || a.response.Reading.Rest == nil {
		return nil
	}
	return a.bounded(*a.response.Reading.Rest)
}

// later is the same aggregate of the time groups behind so many of these (R-AGG-4); nil behind those of no time.
func (a *aggregation) later(groups int) []Call {
	if groups == 0 {
		return nil
	}
	begins, isTime := tally.Following(a.fields[groups-1].Text("key"), a.body.Text("granularity"), a.body.Text("time_zone"))
	if !isTime {
		return nil
	}
	return a.bounded(rs.Condition{Field: a.body.Text("group_by_time"), Operator: "gte", Value: begins})
}

// bounded is the same aggregate with a bound in its filter, in the place of those in the same direction.
func (a *aggregation) bounded(bound rs.Condition) []Call {
	const parameter = "filter"
	filter, _ := rawjson.ParseObject(a.input.Call.Arguments.Get(a.input.Call.argument(parameter)))
	bounds, _ := rawjson.ParseObject(filter.Get(bound.Field))
	strict := strings.TrimSuffix(bound.Operator, "e") // lt of lte
	bounds = append(bounds.Without(bound.Operator, strict), rawjson.String(bound.Operator, bound.Value))
	return a.input.Call.With(rawjson.Raw(parameter, filter.With(bound.Field, bounds.Encode()).Encode()))
}
