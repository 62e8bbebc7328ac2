package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// isWhole reports whether an answer covers all records, as far as known.
func isWhole(response *rs.Response) bool { return response.Reading == nil || response.Reading.Complete }

// describeReading returns the figures, the last record and a note of a page that the adapter read (R-SCAN-6), or nothing for an answer of
// the RS.
func describeReading(response *rs.Response, rows int) (figures, upTo rawjson.Object, note string) {
	if response.Reading == nil {
		return nil, nil, ""
	}
	reading := response.Reading.Ending(rows)
	figures = rawjson.Object{
		rawjson.String("read_by", "adapter"), rawjson.Int("records_read", reading.Read), rawjson.Int("matched", reading.Matched),
		rawjson.Bool("complete", reading.Complete),
	}
	if reading.Complete {
		return figures, nil, words(reading.Note, describeUnmatched(reading.Unmatched))
	}
	if reading.UpTo.ID != "" {
		upTo = withText(rawjson.Object{rawjson.String("id", reading.UpTo.ID)}, "time", reading.UpTo.Time)
	}
	return figures, upTo, words("This covers the records up to up_to; those after it have not been read yet.", reading.Note)
}

func readingLines(response *rs.Response, rows int) []string {
	figures, upTo, note := describeReading(response, rows)
	if figures == nil {
		return nil
	}
	if upTo != nil {
		figures = append(figures, rawjson.Raw("up_to", upTo.Encode()))
	}
	return withLine([]string{Tokens(figures)}, note)
}

func readingMembers(response *rs.Response, rows int) rawjson.Object {
	figures, upTo, note := describeReading(response, rows)
	if figures == nil {
		return nil
	}
	members := rawjson.Object{rawjson.Raw("reading", withText(figures, "note", note).Encode())}
	if upTo != nil {
		members = append(members, rawjson.Raw("up_to", upTo.Encode()))
	}
	return members
}

// laterCalls returns the same aggregate over the time groups after the leading ones (R-AGG-4), or nil if the last one is not a time.
func (a *aggregation) laterCalls(groups int) []answer.Call {
	if groups == 0 {
		return nil
	}
	begins, isTime := tally.Following(a.fields[groups-1].Text("key"), a.body.Text("granularity"), a.body.Text("time_zone"))
	if !isTime {
		return nil
	}
	return a.withBound(answer.Bound{Field: a.body.Text("group_by_time"), Operator: "gte", Value: begins})
}

func (a *aggregation) withBound(bound answer.Bound) []answer.Call {
	const parameter = "filter"
	filter, _ := rawjson.ParseObject(a.input.Call.Arguments.Get(parameter))
	bounds, _ := rawjson.ParseObject(filter.Get(bound.Field))
	strict := strings.TrimSuffix(bound.Operator, "e") // lt of lte
	bounds = append(bounds.Without(bound.Operator, strict), rawjson.String(bound.Operator, bound.Value))
	return a.input.Call.With(rawjson.Raw(parameter, filter.With(bound.Field, bounds.Encode()).Encode()))
}

// Notes on a filter that no record matches.
const (
	wholeValues = "A text in a filter matches whole values only."
	noTimeIsDay = "A date in a filter does not match times of that day."
)

// noRowsNote returns why a filter by a text may have missed records, and the call that finds them: a search, or a range for a day.
func (r *records) noRowsNote(next continuation) (string, []answer.Call) {
	call := r.input.Call
	if len(r.rows) > 0 || next.hasMore() || !isWhole(r.response) || call.Arguments.Get("cursor") != nil {
		return "", nil
	}
	if reading := r.response.Reading; reading != nil && reading.Unmatched != nil {
		return "", withNear(call, reading.Unmatched)
	}
	filter, _ := rawjson.ParseObject(call.Arguments.Get("filter"))
	for _, condition := range filter {
		text, isText := rawjson.Text(condition.Value)
		day, err := time.Parse(time.DateOnly, text)
		switch {
		case !isText, err == nil && r.response.Reading != nil: // the reading has a warning
		case err == nil:
			times := rawjson.Object{
				rawjson.String("gte", text), rawjson.String("lt", day.AddDate(0, 0, 1).Format(time.DateOnly)),
			}
			return noTimeIsDay, call.With(rawjson.Raw("filter", filter.With(condition.Name, times.Encode()).Encode()))
		default:
			return wholeValues, []answer.Call{{Tool: tool.HitsTool, Arguments: rawjson.Object{rawjson.String(tool.HitsWords, text)}}}
		}
	}
	return "", nil
}

// describeUnmatched returns the values that occur in the fields of unmatched exact conditions (R-SCAN-9).
func describeUnmatched(unmatched []answer.Unmatched) string {
	var sentences []string
	for _, condition := range unmatched {
		seen := make([]string, len(condition.Seen))
		for i, value := range condition.Seen {
			seen[i] = string(rawjson.Quote(value))
		}
		sentences = append(sentences, fmt.Sprintf("No record has %s=%s; values seen: %s.", condition.Field, rawjson.Quote(condition.Value), strings.Join(seen, ", ")))
	}
	return strings.Join(sentences, " ")
}

// withNear returns the call with the probably intended values, or nil if a condition has none.
func withNear(g answer.Given, unmatched []answer.Unmatched) []answer.Call {
	filter, _ := rawjson.ParseObject(g.Arguments.Get("filter"))
	for _, condition := range unmatched {
		if condition.Near == "" {
			return nil
		}
		filter = filter.With(condition.Field, rawjson.Quote(condition.Near))
	}
	return g.With(rawjson.Raw("filter", filter.Encode()))
}
