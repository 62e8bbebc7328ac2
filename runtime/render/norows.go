package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Notes on a filter that no record matches.
const (
	wholeValues = "A text in a filter matches whole values only."
	noTimeIsDay = "A date in a filter does not match times of that day."
)

// noRowsNote says why a filter by a text may have missed records, and returns the call that finds them: a search, or a range for a day.
func (r *records) noRowsNote(next continuation) (string, []Call) {
	call := r.input.Call
	if len(r.rows) > 0 || next.hasMore() || !isWhole(r.response) || call.Arguments.Get("cursor") != nil {
		return "", nil
	}
	if reading := r.response.Reading; reading != nil && reading.Unmatched != nil {
		return "", call.withNear(reading.Unmatched)
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
			return wholeValues, []Call{{Tool: tool.HitsTool, Arguments: rawjson.Object{rawjson.String(tool.HitsWords, text)}}}
		}
	}
	return "", nil
}

// describeUnmatched returns the values that the fields of exact conditions have instead (R-SCAN-9).
func describeUnmatched(unmatched []rs.Unmatched) string {
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

// withNear returns the call with the values that were probably meant, or nil if a condition has none.
func (g Given) withNear(unmatched []rs.Unmatched) []Call {
	filter, _ := rawjson.ParseObject(g.Arguments.Get("filter"))
	for _, condition := range unmatched {
		if condition.Near == "" {
			return nil
		}
		filter = filter.With(condition.Field, rawjson.Quote(condition.Near))
	}
	return g.With(rawjson.Raw("filter", filter.Encode()))
}
