package render

import (
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// What is said of a filter that no record matches.
const (
	wholeValues = "A filter by a text matches the whole value alone."
	noTimeIsDay = "A filter by a date matches no time of that day."
)

// nothing says of a page without a row, where the filter has a text, why records may be there nevertheless, and gives the call that
// finds them: words in a text are searched for, and a day is a range of times (rs-contract.md, Filters). Of other pages it says nothing.
func (r *records) nothing(on wayOn) (string, []Call) {
	call := r.input.Call
	if len(r.rows) > 0 || on.hasMore() || !isWhole(r.response) || call.Arguments.Get(call.argument("cursor")) != nil {
		return "", nil
	}
	filter, _ := rawjson.ParseObject(call.Arguments.Get(call.argument("filter")))
	for _, condition := range filter {
		text, isText := rawjson.Text(condition.Value)
		day, err := time.Parse(time.DateOnly, text)
		switch {
		case !isText, err == nil && r.response.Reading != nil: // whose warning says it, where the field holds times
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
