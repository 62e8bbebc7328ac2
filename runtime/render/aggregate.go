package render

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of an aggregation's text.
const (
	groupsShown       = 100 // as many as the RS returns at most
	groupCharacters   = 200 // of one group's key or value
	groupsCharacters  = 6_000
	aggregateNameSize = 200 // characters of a metric, a field or a time zone
)

// aggregation is the part of the RS's answer that a text shows.
type aggregation struct {
	body    rawjson.Object
	stream  string
	groups  []json.RawMessage
	grouped bool
	shown   int // groups in structured output
}

// Aggregate renders an aggregation: in text the metric and its number, or the groups with their
// values and what stands beside them (R-AGG-1, R-AGG-2); in structured output the RS's envelope
// (R-AGG-3).
func Aggregate(_ context.Context, _ tool.Env, response *rs.Response, input AggregateInput) (*tool.Result, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && body.Get("metric") == nil {
		body = inner // older servers wrap the answer once more
	}
	a := &aggregation{body: body, stream: input.Stream}
	a.groups, a.grouped = rawjson.Elements(body.Get("groups"))
	if !a.grouped && !slices.ContainsFunc(body, func(member rawjson.Member) bool { return member.Name == "value" }) {
		return nil, response.Unusable("the resource server's answer holds neither a value nor groups", "")
	}
	calls := a.calls(input.Call)
	a.shrink(response, calls)
	result := &tool.Result{Text: a.text(input, calls), Structured: a.structured(response, calls)}
	return within(response, result, TextCharacters)
}

// shrink leaves out the last groups when all of them do not fit into structured output.
func (a *aggregation) shrink(response *rs.Response, calls []Call) {
	a.shown = 0
	free := ChannelCharacters - rawLength(a.structured(response, calls)) - groupCharacters
	for a.shown < len(a.groups) {
		free -= rawLength(a.groups[a.shown]) + 1
		if free < 0 {
			return
		}
		a.shown++
	}
}

func (a *aggregation) structured(response *rs.Response, calls []Call) json.RawMessage {
	body := a.body
	if a.shown < len(a.groups) {
		body = body.With("groups", rawjson.Array(a.groups[:a.shown]))
	}
	members := rawjson.Object{rawjson.Raw("data", body.Encode())}
	if left := len(a.groups) - a.shown; left > 0 {
		members = append(members, rawjson.Int("groups_left_out", int64(left)))
	}
	return Structured(response, members, calls)
}

// calls widen a truncated top-N, as far as the RS's limit goes.
func (a *aggregation) calls(given Given) []Call {
	limit, known := a.body.Int("limit")
	if others, _ := a.body.Int("other_count"); others <= 0 || !known || limit >= groupsShown {
		return nil
	}
	return given.With(rawjson.Int("limit", groupsShown))
}

func (a *aggregation) text(input AggregateInput, calls []Call) string {
	lines := []string{a.head(input)}
	meta, _ := rawjson.ParseObject(a.body.Get("meta"))
	if a.grouped {
		lines = append(lines, a.groupLines()...)
	}
	lines = append(lines, warningLines(meta)...)
	for _, call := range calls {
		lines = append(lines, call.Line())
	}
	return strings.Join(lines, "\n")
}

// head names what was measured, and the number itself when there are no groups.
func (a *aggregation) head(input AggregateInput) string {
	tokens := []string{"aggregate"}
	for _, name := range []string{"metric", "stream", "field", "group_by", "group_by_time", "granularity", "time_zone"} {
		text := a.body.Text(name)
		if name == "stream" && text == "" {
			text = a.stream
		}
		tokens = append(tokens, tokenIf(name, Clip(text, aggregateNameSize)))
	}
	if input.ConnectionID != nil {
		tokens = append(tokens, Token("connection_id", *input.ConnectionID))
	}
	if !a.grouped {
		tokens = append(tokens, a.scalar("value"))
	}
	return line(append(tokens, a.number("filtered_record_count"), a.number("approximate"))...)
}

// scalar is a value in text; null is the answer when there was nothing to measure.
func (a *aggregation) scalar(name string) string {
	value := a.body.Get(name)
	if value == nil {
		return name + "=null"
	}
	return groupToken(name, value)
}

func (a *aggregation) number(name string) string {
	value := a.body.Get(name)
	if value == nil || len(value) > numberCharacters {
		return ""
	}
	return RawToken(name, value)
}

// groupLines show each group on a line, then how many more there are and what other_count says.
func (a *aggregation) groupLines() []string {
	lines := []string{line(IntToken("groups", int64(len(a.groups))), a.number("limit"))}
	used, shown := 0, 0
	for _, value := range a.groups {
		group, ok := rawjson.ParseObject(value)
		if !ok {
			group = rawjson.Object{rawjson.Raw("key", value)}
		}
		text := "  " + groupTokens(group)
		if used += Length(text) + 1; shown == groupsShown || used > groupsCharacters {
			break
		}
		lines = append(lines, text)
		shown++
	}
	return append(lines, a.restLine(len(a.groups)-shown))
}

// restLine says what stands behind the groups shown: groups that the RS sent, and those that it did not
// send, of which it only counts the records.
func (a *aggregation) restLine(further int) string {
	others := a.number("other_count")
	count, _ := a.body.Int("other_count")
	switch {
	case count > 0 && further == 0:
		return fmt.Sprintf("further_groups=unknown %s (records in groups that were not returned: the top groups only)", others)
	case count > 0:
		others += " (records in still other groups, which were not returned: the top groups only)"
	case further > 0:
		others = line(others, "(narrow with filter to see them in text)")
	}
	return line(IntToken("further_groups", int64(further)), others)
}

// groupTokens put the key first, whatever the order of the members.
func groupTokens(group rawjson.Object) string {
	key := group.Get("key")
	if key == nil {
		key = json.RawMessage("null")
	}
	tokens := []string{groupToken("key", key)}
	for _, member := range group {
		if member.Name != "key" && len(tokens) < fieldsPreviewed {
			tokens = append(tokens, groupToken(memberName(member.Name), member.Value))
		}
	}
	return strings.Join(tokens, " ")
}

// memberName is the name of a member that stands beside a group's key: its count, or a name of the data.
func memberName(sent string) string {
	switch sent = Clip(sent, labelCharacters); sent {
	case "count":
		return sent
	case "key":
		return Quoted(sent)
	}
	return SourceName(sent)
}

// groupToken takes the name as it is spelled in the text.
func groupToken(name string, value json.RawMessage) string {
	if text, ok := rawjson.Text(value); ok {
		if clipped := Clip(text, groupCharacters); len(clipped) < len(text) {
			return name + "=" + Quoted(clipped) + " clipped=true"
		}
		return name + "=" + Quoted(text)
	}
	if rawLength(value) > groupCharacters {
		return fmt.Sprintf("%s=(%d characters)", name, rawLength(value))
	}
	return name + "=" + Visible(value)
}
