package render

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// describeReading returns the figures, the last record and a note of a page that the adapter read (R-SCAN-6), or
// nothing for an answer of the RS.
func describeReading(whole *answer.Reading, rows int) (figures, upTo rawjson.Object, note string) {
	if whole == nil {
		return nil, nil, ""
	}
	reading := whole.Ending(rows)
	figures = rawjson.Object{
		rawjson.String("read_by", "adapter"), rawjson.Int("records_read", reading.Read), rawjson.Int("matched", reading.Matched),
		rawjson.Bool("complete", reading.Complete),
	}
	page := ""
	if reading.IsLaterPage {
		page = "records_read and matched do not count the pages before this one."
	}
	if reading.Complete {
		return figures, nil, words(page, reading.Note, describeUnmatched(reading))
	}
	if reading.UpTo.ID != "" {
		upTo = withText(rawjson.Object{rawjson.String(wire.ID, reading.UpTo.ID)}, "time", reading.UpTo.Time)
	}
	return figures, upTo, words(describeUnread(reading), page, reading.Note)
}

// describeUnread says which records an incomplete reading has not read.
func describeUnread(reading answer.Reading) string {
	unread := map[answer.Direction]string{
		answer.UnknownDirection: "those after it", answer.NewestFirst: "older ones", answer.OldestFirst: "newer ones",
	}
	switch {
	case reading.IsOutside:
		return ""
	case reading.UpTo.Unread != nil:
		return "Connections that were not read to their ends: " + strings.Join(listedNames(reading.UpTo.Unread), ", ") + "."
	case reading.UpTo.ID == "":
		return "Not all records have been read yet."
	}
	return "This covers the records up to up_to; " + unread[reading.Direction] + " have not been read yet."
}

func readingLines(reading *answer.Reading, rows int) []string {
	figures, upTo, note := describeReading(reading, rows)
	if figures == nil {
		return nil
	}
	if upTo != nil {
		figures = append(figures, rawjson.Raw("up_to", upTo.Encode()))
	}
	return withLine([]string{Tokens(figures)}, note)
}

func readingMembers(reading *answer.Reading, rows int) rawjson.Object {
	figures, upTo, note := describeReading(reading, rows)
	if figures == nil {
		return nil
	}
	members := rawjson.Object{rawjson.Raw("reading", withText(figures, "note", note).Encode())}
	if upTo != nil {
		members = append(members, rawjson.Raw("up_to", upTo.Encode()))
	}
	return members
}

// Notes on a filter that no record matches.
const (
	wholeValues = "A text in a filter matches whole values only."
	noTimeIsDay = "A date in a filter does not match times of that day."
)

// noRowsNote returns why a filter by a text may have missed records, and the call that finds them: a search, or a range
// for a day.
func (r *RecordsPage) noRowsNote(next continuation) (string, []answer.Call) {
	call := r.Call
	if len(r.records) > 0 || next.hasMore() || !r.IsWhole() || call.Arguments.Get(wire.Cursor) != nil {
		return "", nil
	}
	if r.Reading != nil && r.Reading.Unmatched != nil {
		return "", otherValues(call, r.Reading.Unmatched)
	}
	filter, _ := rawjson.ParseObject(call.Arguments.Get(wire.Filter))
	for _, condition := range filter {
		text, isText := rawjson.Text(condition.Value)
		day, err := time.Parse(time.DateOnly, text)
		switch {
		case !isText, err == nil && r.Reading != nil: // the reading has a warning
		case err == nil:
			times := rawjson.Object{
				rawjson.String("gte", text), rawjson.String("lt", day.AddDate(0, 0, 1).Format(time.DateOnly)),
			}
			return noTimeIsDay, call.With(rawjson.Raw(wire.Filter, filter.With(condition.Name, times.Encode()).Encode()))
		default:
			return wholeValues, []answer.Call{searchFor(text)}
		}
	}
	return "", nil
}

// compared are the words for the records that a filter was tested on, in the singular and the plural.
var compared = map[answer.Compared][2]string{
	answer.AllRecords:     {"record", "records"},
	answer.RecordsInRange: {"record read", "records read"},
	answer.HitRecords:     {"hit", "hits"},
}

// describeUnmatched returns how many records match each condition alone (R-CLAIM-3), and the values of the fields that
// no record matches (R-SCAN-9).
func describeUnmatched(reading answer.Reading) string {
	words := compared[reading.Compared]
	var alone, sentences []string
	for _, condition := range reading.Unmatched {
		named := describeCondition(condition)
		switch {
		case condition.Alone > 0 || condition.Seen == nil:
			alone = append(alone, fmt.Sprintf("%d with %s", condition.Alone, named))
		default:
			seen := make([]string, len(condition.Seen))
			for i, value := range condition.Seen {
				seen[i] = string(rawjson.Quote(value))
			}
			sentences = append(sentences, fmt.Sprintf("No %s has %s; %svalues seen: %s.",
				words[0], named, shareShown(condition), strings.Join(seen, ", ")))
			if isWordOfText(condition) {
				sentences = append(sentences, wholeValues)
			}
		}
	}
	if alone != nil {
		sentences = append(sentences, fmt.Sprintf("No %s matches all conditions; %s alone: %s.", words[0], words[1], strings.Join(alone, ", ")))
	}
	return strings.Join(sentences, " ")
}

func describeCondition(condition answer.Unmatched) string {
	var parts []string
	for _, bound := range condition.Bounds {
		value := string(rawjson.Quote(bound.Value))
		if bound.Operator == "" {
			return condition.Field + "=" + value
		}
		parts = append(parts, bound.Operator+" "+value)
	}
	return condition.Field + " " + strings.Join(parts, " ")
}

// shareShown returns how many of the values are shown if they are not all.
func shareShown(condition answer.Unmatched) string {
	switch {
	case condition.IsMany:
		return fmt.Sprintf("%d of %d or more ", len(condition.Seen), condition.Values)
	case condition.Values > len(condition.Seen):
		return fmt.Sprintf("%d of %d ", len(condition.Seen), condition.Values)
	}
	return ""
}

// isWordOfText reports whether a condition compares a word with texts, which have too many values for a list.
func isWordOfText(condition answer.Unmatched) bool {
	hasLetter := func(b answer.Bound) bool { return strings.ContainsFunc(b.Value, unicode.IsLetter) }
	return slices.ContainsFunc(condition.Bounds, hasLetter) && (condition.IsMany || condition.Values > answer.MaxGroups)
}

func searchFor(text string) answer.Call {
	return answer.Call{Tool: tool.HitsTool, Arguments: rawjson.Object{rawjson.String(tool.HitsWords, text)}}
}

// otherValues returns the call with the probably intended values. Without such values, it returns the calls that list
// the values of the fields, or find a word in their texts.
func otherValues(g answer.Given, unmatched []answer.Unmatched) (calls []answer.Call) {
	if near := withNear(g, unmatched); near != nil {
		return near
	}
	stream := g.Arguments.Text(wire.Stream)
	for _, condition := range unmatched {
		switch {
		case condition.Alone > 0 || condition.Seen == nil || shareShown(condition) == "" || stream == tool.EveryStream:
		case isWordOfText(condition):
			calls = append(calls, searchFor(condition.Bounds[0].Value))
		default:
			arguments := rawjson.Texts(
				tool.GroupsStream, stream, tool.GroupsConnectionID, g.Arguments.Text(wire.ConnectionID),
				tool.GroupsMetric, wire.Count, tool.GroupsGroupBy, condition.Field)
			arguments = append(arguments, rawjson.Int(tool.GroupsLimit, answer.MaxGroups))
			calls = append(calls, answer.Call{Tool: tool.GroupsTool, Arguments: arguments})
		}
	}
	return calls
}

// withNear returns the call with the probably intended values, or nil if a condition that no record matches has none.
func withNear(g answer.Given, unmatched []answer.Unmatched) []answer.Call {
	filter, _ := rawjson.ParseObject(g.Arguments.Get(wire.Filter))
	isCorrected := false
	for _, condition := range unmatched {
		switch {
		case condition.Alone > 0:
		case condition.Near == "":
			return nil
		default:
			filter, isCorrected = filter.With(condition.Field, rawjson.Quote(condition.Near)), true
		}
	}
	if !isCorrected {
		return nil
	}
	return g.With(rawjson.Raw(wire.Filter, filter.Encode()))
}

// LimitsNote names limits of grants next to a claim (R-CLAIM-1, R-CLAIM-2).
func LimitsNote(exceeded []answer.Limit) string {
	if exceeded == nil {
		return ""
	}
	note := "Granted only: " + Limits(exceeded) + ". What is outside is unknown, not absent."
	if exceeded[0].IsOutside {
		note += " This call asks about records outside only, so its answer is unknown."
	}
	return note
}

// Limits describes limits of grants, streams with the same limit together.
func Limits(exceeded []answer.Limit) string {
	var limits []answer.Limit // without their streams
	streams := map[answer.Limit][]string{}
	for _, each := range exceeded {
		name := "all streams"
		if each.Stream != tool.EveryStream {
			name = each.Stream
		}
		if each.Stream = ""; streams[each] == nil {
			limits = append(limits, each)
		}
		streams[each] = append(streams[each], name)
	}
	var parts []string
	for _, each := range limits[:min(len(limits), streamsNamed)] {
		parts = append(parts, strings.Join(listedNames(streams[each]), ", ")+describeLimit(each))
	}
	if more := len(limits) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more limits", more))
	}
	return strings.Join(parts, "; ")
}

func describeLimit(limit answer.Limit) (text string) {
	if limit.ConnectionID != "" {
		text += " of " + ListedName(limit.ConnectionID)
	}
	switch {
	case limit.Fields != "":
		text += " (fields " + limitNames(limit.Fields) + ")"
	case limit.Lacking != "":
		text += " without " + limitNames(limit.Lacking)
	case limit.FieldCount > 0:
		text += fmt.Sprintf(" (%d fields)", limit.FieldCount)
	}
	if limit.Records > 0 {
		text += fmt.Sprintf(", %d records", limit.Records)
	}
	switch since, until := shortTime(limit.Since), shortTime(limit.Until); {
	case limit.Until.IsZero() && !limit.Since.IsZero():
		text += " from " + since + " on"
	case !limit.Until.IsZero() && !limit.Since.IsZero():
		text += " from " + since + " to before " + until
	case !limit.Until.IsZero():
		text += " before " + until
	}
	return text
}

// limitNames returns the names of a limit for a text.
func limitNames(names string) string {
	return strings.Join(listedNames(strings.Split(names, ", ")), ", ")
}

// shortTime returns a time in UTC, without the time of day at midnight.
func shortTime(at time.Time) string { return strings.TrimSuffix(at.Format(time.RFC3339), "T00:00:00Z") }

// smallerMembers returns the members of a page that was read again with a smaller limit.
func smallerMembers(smaller *answer.Smaller) rawjson.Object {
	if smaller == nil {
		return nil
	}
	return rawjson.Object{rawjson.Int("limit_used", int64(smaller.Limit)), rawjson.Int("rows_too_many", int64(smaller.Rows))}
}

func smallerLines(smaller *answer.Smaller, noun string) []string {
	if smaller == nil {
		return nil
	}
	return []string{fmt.Sprintf("limit_used=%d: a page of %d %s does not fit into one result.", smaller.Limit, smaller.Rows, noun)}
}

// connectionsNote says that several connections are counted.
func (a *aggregation) connectionsNote() string {
	if a.Connections == 0 {
		return ""
	}
	note := fmt.Sprintf("%d connections are counted together.", a.Connections)
	if a.IsRough {
		note += " A count may be too low, and a group may be missing: each connection returns only its largest groups. Ask for one connection at a time."
	}
	return note
}
