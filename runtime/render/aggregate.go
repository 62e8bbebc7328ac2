package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/scalar"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of an aggregation.
const (
	groupCharacters  = 200 // of one group's key or value
	numberCharacters = 64  // a longer number is not shown
	nameCharacters   = 200 // of a metric, a field or a time zone
)

// recordWord introduces the call for the record with a minimum or maximum, in either channel.
const recordWord = "record_call"

// aggregation is an aggregate with the columns of its groups.
type aggregation struct {
	*answer.Groups
	fields  []rawjson.Object // of the groups
	columns rawjson.Object
}

// Aggregate renders the metric and its number, or the groups (R-AGG-1, R-AGG-2). Structured output is the RS's envelope
// (R-AGG-3).
func Aggregate(found *answer.Groups) (*tool.Result, error) {
	a := &aggregation{Groups: found, fields: make([]rawjson.Object, len(found.Groups))}
	for i, group := range found.Groups {
		a.fields[i] = group.Members
	}
	a.columns = columnsOf(a.fields)
	page := newPage(len(a.fields), func(i int, text, structured []byte) ([]byte, []byte) {
		text = textRow{fields: a.fields[i]}.append(text, a.columns)
		if sent := found.Groups[i].Value; sent != nil {
			return text, append(structured, sent...)
		}
		return text, a.fields[i].Append(structured)
	})
	shown, frame := page.fit(len(a.fields), a.frame)
	return bounded(a.Origin, page.result(shown, frame), TextCharacters)
}

// calls returns the calls that widen a truncated list of groups up to the limit of the RS, and that continue after the
// last group.
func (a *aggregation) calls(shown int) []answer.Call {
	switch reading := a.Reading; {
	case reading == nil:
	case reading.Rest != nil: // the unread records
		return a.withBound(*reading.Rest)
	case !reading.Complete:
		return nil
	case reading.Unmatched != nil:
		return answer.RepeatDifferently.As(otherValues(a.Call, reading.Unmatched)...)
	}
	limit, known := a.Members.Int(wire.Limit)
	areAllShown := shown == len(a.fields)
	switch {
	case areAllShown && a.IsLast() && !a.mayHaveLater() || !known:
		return nil
	case areAllShown && limit < answer.MaxGroups && a.Skipped == 0:
		return answer.RepeatDifferently.As(a.Call.With(rawjson.Int(wire.Limit, answer.MaxGroups))...)
	case a.IsTimeline():
		return a.laterCalls(shown)
	case a.Places != nil && shown > 0:
		return a.Call.With(rawjson.String(tool.GroupsCursor, a.Places.After(shown)))
	}
	return nil
}

func (a *aggregation) frame(shown int) frame {
	calls := a.calls(shown)
	together := words(a.connectionsNote(), LimitsNote(a.Limits))
	f := frame{
		linesBefore: withLine(append([]string{a.head()}, readingLines(a.Reading, 0)...), together),
		linesAfter:  append(linesOfWarnings(a.Warnings), callLines(recordWord, a.RecordCalls)...),
	}
	for _, call := range calls {
		f.linesAfter = append(f.linesAfter, Line(call))
	}
	body := envelopeMembers(a.Envelope)
	if !body.True("approximate") {
		body = body.Without("approximate")
	}
	note, totals := "", rawjson.Object(nil)
	if a.IsGrouped {
		note, totals = a.note(shown), a.totals(shown)
		f.linesBefore = append(f.linesBefore, words(
			intToken("groups", int64(len(a.fields))), a.number(wire.Limit), a.furtherToken(shown), a.number("other_count"),
			Tokens(totals), a.number("total_value"), a.number("other_value"), note, a.tieNote(shown)))
		f.linesBefore = withLine(f.linesBefore, columnsLine("", a.columns))
	} else if a.Members.Get("value") == nil { // null is an answer
		body = append(body, rawjson.Raw("value", json.RawMessage("null")))
	}
	if a.IsGrouped {
		f.structuredBefore = append(rawjson.AppendName(body.AppendMembers([]byte(`{"data":{`)), "groups"), '[')
		f.structuredAfter = []byte{']'}
	} else {
		f.structuredBefore = body.AppendMembers([]byte(`{"data":{`))
	}
	members := readingMembers(a.Reading, 0)
	if left := len(a.fields) - shown; left > 0 {
		members = append(members, rawjson.Int("groups_left_out", int64(left)))
	}
	text := words(together, a.tieNote(shown))
	if a.GroupsByTime() || a.Skipped > 0 { // for the first groups, other_count has the same information (R-SURF-8)
		text = words(text, note)
	}
	if further, isKnown := a.further(shown); isKnown && further > 0 {
		members = append(members, rawjson.Int("further_groups", int64(further)))
	}
	members = withCalls(withText(append(members, totals...), "note", text), recordWord, a.RecordCalls)
	members = finished(a.Origin, members, calls)
	f.structuredAfter = append(members.AppendMembers(append(f.structuredAfter, '}')), '}')
	return f
}

func (a *aggregation) head() string {
	tokens := []string{wire.Aggregate}
	for _, name := range []string{wire.Metric, wire.Stream, wire.Field, wire.GroupBy, wire.GroupByTime, wire.Granularity, wire.TimeZone, wire.Sort} {
		text := a.Members.Text(name)
		if name == wire.Stream && text == "" {
			text = a.Stream
		}
		tokens = append(tokens, tokenIf(name, tool.Clip(text, nameCharacters)))
	}
	if a.ConnectionID != nil {
		tokens = append(tokens, Token(wire.ConnectionID, *a.ConnectionID))
	}
	if !a.IsGrouped {
		tokens = append(tokens, a.value(), tokenIf("record", a.Members.Text("record")), a.number("equal_records"))
	}
	tokens = append(tokens, a.number("filtered_record_count"))
	if a.Members.True("approximate") {
		tokens = append(tokens, a.number("approximate"))
	}
	return words(tokens...)
}

// value returns the token of the number, or of null if no record has a value.
func (a *aggregation) value() string {
	value := a.Members.Get("value")
	switch {
	case value == nil:
		return "value=null"
	case Length(value) > groupCharacters:
		return fmt.Sprintf("value=(%d characters)", Length(value))
	}
	return RawToken("value", value)
}

func (a *aggregation) number(name string) string {
	value := a.Members.Get(name)
	if value == nil || len(value) > numberCharacters {
		return ""
	}
	return RawToken(name, value)
}

// further returns the number of groups that are not shown, if it is known.
func (a *aggregation) further(shown int) (further int, isKnown bool) {
	further = max(len(a.fields), a.Known-a.Skipped) - shown
	return further, further > 0 || !a.IsUnknown() && a.IsLast() && !a.mayHaveLater()
}

func (a *aggregation) furtherToken(shown int) string {
	if further, isKnown := a.further(shown); isKnown {
		return intToken("further_groups", int64(further))
	}
	return "further_groups=unknown"
}

// notShownName is the number of records in the groups that are not shown.
const notShownName = "not_shown_count"

// tieNote says that the first group that is not shown has the value of the last one (R-CLAIM-7).
func (a *aggregation) tieNote(shown int) string {
	cut := *a.Groups
	if cut.Keep(shown); !cut.IsTied {
		return ""
	}
	return "The next group has the same value as the last one here."
}

// totals returns the number of records in all groups and in the groups that are not shown, unless another member has it
// (R-AGG-5).
func (a *aggregation) totals(shown int) rawjson.Object {
	if a.Members.Text(wire.Metric) != wire.Count || a.IsUnknown() {
		return nil
	}
	var totals rawjson.Object
	sent, leftOut := int64(0), int64(0)
	for i, group := range a.Groups.Groups {
		if sent += group.Count(); i >= shown {
			leftOut += group.Count()
		}
	}
	others, isKnown := a.Members.Int("other_count")
	if a.Members.Get("filtered_record_count") == nil && (isKnown || !a.IsCut()) {
		totals = append(totals, rawjson.Int("total_count", sent+others))
	}
	if shown < len(a.fields) {
		totals = append(totals, rawjson.Int(notShownName, leftOut+others))
	}
	return totals
}

// mayHaveLater reports whether time groups fill the limit and it is unknown whether later groups exist (R-AGG-4).
func (a *aggregation) mayHaveLater() bool { return a.IsTimeline() && a.IsCut() && a.Others() <= 0 }

// note says which groups are shown if they are not all.
func (a *aggregation) note(shown int) string {
	switch further := len(a.fields) - shown; {
	case further == 0 && a.mayHaveLater():
		return fmt.Sprintf("These are the earliest %d groups, as many as limit allows; later ones may exist: a larger limit shows them.", shown)
	case a.Others() <= 0 && further == 0:
		return ""
	case a.Skipped > 0:
		return fmt.Sprintf("These are the groups %d to %d; %s records are in the other groups.",
			a.Skipped+1, a.Skipped+shown, a.rest(shown))
	case a.IsSorted():
		return fmt.Sprintf("These are the first %d groups by %s; %s records are in the others.", shown, a.Members.Text(wire.Sort), a.rest(shown))
	case a.Others() <= 0:
		return fmt.Sprintf("These are the first %d groups; narrow with filter to see the others.", shown)
	case a.IsTimeline():
		return fmt.Sprintf("These are the earliest %d groups; %s records are in later ones, which a filter on the time shows.", shown, a.rest(shown))
	case a.IsCycle && a.Members.Text(wire.GroupBy) == "":
		return fmt.Sprintf("These are the first %d groups; %s records are in the others.", shown, a.rest(shown))
	case a.GroupsByTime():
		return fmt.Sprintf("These are the first %d groups: all times of the greatest key, then of the next; %s records are in groups "+
			"that are not shown: filter for one key or for less time, or take a wider granularity.", shown, a.rest(shown))
	}
	return fmt.Sprintf("These are the top %d groups; %s records are in groups that are not shown.", shown, a.rest(shown))
}

// rest names the member that counts the records in the groups that are not shown. The other_count of a resource server
// leaves out its own groups that do not fit.
func (a *aggregation) rest(shown int) string {
	if shown < len(a.fields) && a.Members.Text(wire.Metric) == wire.Count {
		return notShownName
	}
	return "other_count"
}

// laterCalls returns the same aggregate over the time groups after the leading ones (R-AGG-4), or nil if the last one
// is not a time.
func (a *aggregation) laterCalls(groups int) []answer.Call {
	if groups == 0 {
		return nil
	}
	begins, isTime := scalar.Following(a.fields[groups-1].Text("key"), a.Members.Text(wire.Granularity), a.Members.Text(wire.TimeZone))
	if !isTime {
		return nil
	}
	return a.withBound(answer.Bound{Field: a.Members.Text(wire.GroupByTime), Operator: "gte", Value: begins})
}

func (a *aggregation) withBound(bound answer.Bound) []answer.Call {
	filter, _ := rawjson.ParseObject(a.Call.Arguments.Get(wire.Filter))
	bounds, _ := rawjson.ParseObject(filter.Get(bound.Field))
	strict := strings.TrimSuffix(bound.Operator, "e") // lt of lte
	bounds = append(bounds.Without(bound.Operator, strict), rawjson.String(bound.Operator, bound.Value))
	return a.Call.With(rawjson.Raw(wire.Filter, filter.With(bound.Field, bounds.Encode()).Encode()))
}
