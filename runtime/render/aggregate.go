package render

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of an aggregation.
const (
	maxGroups        = 100 // the RS returns no more
	groupCharacters  = 200 // of one group's key or value
	numberCharacters = 64  // a longer number is not shown
	nameCharacters   = 200 // of a metric, a field or a time zone
)

type aggregation struct {
	body         rawjson.Object
	response     *rs.Response
	input        AggregateInput
	groups       []json.RawMessage
	fields       []rawjson.Object // of the groups
	columns      rawjson.Object
	known        int    // groups, including those that the answer leaves out; 0: unknown
	isGrouped    bool   // the answer has groups instead of a value
	togetherNote string // says that several connections are counted
}

// Aggregate renders the metric and its number, or the groups (R-AGG-1, R-AGG-2). Structured output is the RS's envelope (R-AGG-3).
func Aggregate(ctx context.Context, env tool.Env, response *rs.Response, input AggregateInput) (*tool.Result, error) {
	a, err := openAggregation(ctx, withAbsent(response), input)
	if err != nil {
		return nil, err
	}
	if response.Reading == nil && !a.isSorted() {
		a = a.complete(ctx, env)
	}
	page := newPage(len(a.groups), func(i int, text, structured []byte) ([]byte, []byte) {
		return textRow{fields: a.fields[i]}.append(text, a.columns), append(structured, a.groups[i]...)
	})
	shown, frame := page.fit(len(a.groups), a.frame)
	return withinBounds(a.response, page.result(shown, frame), TextCharacters)
}

func openAggregation(ctx context.Context, response *rs.Response, input AggregateInput) (*aggregation, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && body.Get("metric") == nil {
		body = inner // older servers wrap the answer once more
	}
	a := &aggregation{body: body, response: response, input: input}
	if response.Reading != nil {
		a.known = response.Reading.Groups
	}
	a.groups, a.isGrouped = rawjson.Elements(body.Get("groups"))
	if !a.isGrouped && !hasName(body, "value") {
		return nil, response.Unusable("the resource server's answer holds neither a value nor groups", "")
	}
	for _, value := range a.groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		group, ok := rawjson.ParseObject(value)
		if !ok {
			group = rawjson.Object{rawjson.Raw("key", value)}
		}
		if at := slices.Index(group.Names(), "key"); at > 0 { // the key comes first
			group = slices.Concat(group[at:at+1], group[:at], group[at+1:])
		}
		a.fields = append(a.fields, group)
	}
	a.columns = columnsOf(a.fields)
	return a, nil
}

func (a *aggregation) groupsByTime() bool { return a.body.Text("group_by_time") != "" }

// isTimeline reports whether the groups are by time alone, with the earliest first.
func (a *aggregation) isTimeline() bool {
	return a.groupsByTime() && a.body.Text("group_by") == "" && !a.isSorted() && !tally.IsCycle(a.body.Text("granularity"))
}

func (a *aggregation) isSorted() bool { return a.body.Text("sort") != "" }

// others returns the number of records in groups that the RS did not return.
func (a *aggregation) others() int64 {
	others, _ := a.body.Int("other_count")
	return others
}

// calls returns the calls that widen a truncated list of groups up to the limit of the RS, and that continue after the last time group.
func (a *aggregation) calls(shown int) []answer.Call {
	switch reading := a.response.Reading; {
	case reading == nil:
	case reading.Rest != nil: // the unread records
		return a.withBound(*reading.Rest)
	case !reading.Complete:
		return nil
	case reading.Unmatched != nil:
		return withNear(a.input.Call, reading.Unmatched)
	}
	limit, known := a.body.Int("limit")
	switch {
	case a.others() <= 0 && !a.mayHaveLater() || !known:
		return nil
	case limit < maxGroups:
		return a.input.Call.With(rawjson.Int("limit", maxGroups))
	case a.isTimeline():
		return a.laterCalls(shown)
	}
	return nil
}

func (a *aggregation) frame(shown int) frame {
	calls := a.calls(shown)
	f := frame{
		linesBefore: withLine(append([]string{a.head()}, readingLines(a.response.Reading, 0)...), a.togetherNote),
		linesAfter:  append(warningLines(metaOf(a.body)), callLines("next", calls)...),
	}
	body := informative(a.body)
	if !body.True("approximate") {
		body = body.Without("approximate")
	}
	note, totals := "", rawjson.Object(nil)
	if a.isGrouped {
		note, totals = a.note(shown), a.totals(shown)
		f.linesBefore = append(f.linesBefore, words(
			intToken("groups", int64(len(a.groups))), a.number("limit"), a.furtherToken(shown), a.number("other_count"),
			Tokens(totals), a.number("total_value"), a.number("other_value"), note))
		f.linesBefore = withLine(f.linesBefore, columnsLine("", a.columns))
	} else if a.body.Get("value") == nil { // null is an answer
		body = append(body, rawjson.Raw("value", json.RawMessage("null")))
	}
	if a.isGrouped {
		f.structuredBefore = append(rawjson.AppendName(body.Without("groups").AppendMembers([]byte(`{"data":{`)), "groups"), '[')
		f.structuredAfter = []byte{']'}
	} else {
		f.structuredBefore = body.AppendMembers([]byte(`{"data":{`))
	}
	members := readingMembers(a.response.Reading, 0)
	if left := len(a.groups) - shown; left > 0 {
		members = append(members, rawjson.Int("groups_left_out", int64(left)))
	}
	text := a.togetherNote
	if a.groupsByTime() { // for other groups, other_count has the same information (R-SURF-8)
		text = words(text, note)
	}
	members = finish(a.response, withText(append(members, totals...), "note", text), calls)
	f.structuredAfter = append(members.AppendMembers(append(f.structuredAfter, '}')), '}')
	return f
}

func (a *aggregation) head() string {
	tokens := []string{"aggregate"}
	for _, name := range []string{"metric", "stream", "field", "group_by", "group_by_time", "granularity", "time_zone", "sort"} {
		text := a.body.Text(name)
		if name == "stream" && text == "" {
			text = a.input.Stream
		}
		tokens = append(tokens, tokenIf(name, tool.Clip(text, nameCharacters)))
	}
	if a.input.ConnectionID != nil {
		tokens = append(tokens, Token("connection_id", *a.input.ConnectionID))
	}
	if !a.isGrouped {
		tokens = append(tokens, a.value())
	}
	tokens = append(tokens, a.number("filtered_record_count"))
	if a.body.True("approximate") {
		tokens = append(tokens, a.number("approximate"))
	}
	return words(tokens...)
}

// value returns the token of the number, or of null if no record has a value.
func (a *aggregation) value() string {
	value := a.body.Get("value")
	switch {
	case value == nil:
		return "value=null"
	case Length(value) > groupCharacters:
		return fmt.Sprintf("value=(%d characters)", Length(value))
	}
	return RawToken("value", value)
}

func (a *aggregation) number(name string) string {
	value := a.body.Get(name)
	if value == nil || len(value) > numberCharacters {
		return ""
	}
	return RawToken(name, value)
}

// furtherToken returns a token with the number of groups that are not shown, or unknown.
func (a *aggregation) furtherToken(shown int) string {
	if further := max(len(a.groups), a.known) - shown; further > 0 || a.others() <= 0 && !a.mayHaveLater() {
		return intToken("further_groups", int64(further))
	}
	return "further_groups=unknown"
}

// totals returns the number of records in all groups and in the groups that are not shown, unless another member has it (R-AGG-5).
func (a *aggregation) totals(shown int) rawjson.Object {
	if a.body.Text("metric") != "count" {
		return nil
	}
	var totals rawjson.Object
	sent, leftOut := int64(0), int64(0)
	for i, group := range a.counts() {
		if sent += group.count; i >= shown {
			leftOut += group.count
		}
	}
	others, isKnown := a.body.Int("other_count")
	if a.body.Get("filtered_record_count") == nil && (isKnown || !a.isCut()) {
		totals = append(totals, rawjson.Int("total_count", sent+others))
	}
	if shown < len(a.groups) {
		totals = append(totals, rawjson.Int("not_shown_count", leftOut+others))
	}
	return totals
}

// mayHaveLater reports whether time groups fill the limit and it is unknown whether later groups exist (R-AGG-4).
func (a *aggregation) mayHaveLater() bool { return a.isTimeline() && a.isCut() && a.others() <= 0 }

// note says which groups are shown if they are not all.
func (a *aggregation) note(shown int) string {
	switch further := len(a.groups) - shown; {
	case further == 0 && a.mayHaveLater():
		return fmt.Sprintf("These are the earliest %d groups, as many as limit allows; later ones may exist: a larger limit shows them.", shown)
	case a.others() <= 0 && further == 0:
		return ""
	case a.isSorted():
		return fmt.Sprintf("These are the first %d groups by %s; other_count records are in the others.", shown, a.body.Text("sort"))
	case a.others() <= 0:
		return fmt.Sprintf("These are the first %d groups; narrow with filter to see the others.", shown)
	case a.isTimeline():
		return fmt.Sprintf("These are the earliest %d groups; other_count records are in later ones, which a filter on the time shows.", shown)
	case a.groupsByTime():
		return fmt.Sprintf("These are the first %d groups: all times of the greatest key, then of the next; other_count records are in groups "+
			"that are not shown: filter for one key or for less time, or take a wider granularity.", shown)
	}
	return fmt.Sprintf("These are the top %d groups; other_count records are in groups that are not shown.", shown)
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
