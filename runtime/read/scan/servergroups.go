package scan

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/tally"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// getGroups returns the aggregate as the resource server computes it.
func getGroups(ctx context.Context, env tool.Env, request rs.Request, input GroupsInput) (*answer.Groups, error) {
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	found, err := groupsOf(ctx, response, input)
	if err == nil {
		found.Warnings = append(found.Warnings, tool.Absences(ctx, env.RS, request)...)
	}
	return found, err
}

// groupsOf reads a response as an aggregate. A response with neither a value nor groups, or with a value or a group of
// another form than the output schema has, is an *rs.Failure (R-ERR-9).
func groupsOf(ctx context.Context, response *rs.Response, input GroupsInput) (*answer.Groups, error) {
	body, err := response.Object()
	if err != nil {
		return nil, err
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && body.Get(wire.Metric) == nil {
		body = inner // older servers wrap the answer once more
	}
	found := &answer.Groups{Envelope: envelopeOf(body, groupsName), IsCycle: tally.IsCycle(body.Text(wire.Granularity))}
	var groups []rawjson.Value
	groups, found.IsGrouped = rawjson.Elements(body.Get(groupsName))
	if !found.IsGrouped && !slices.Contains(body.Names(), "value") {
		return nil, response.Unusable("the resource server's answer holds neither a value nor groups", "")
	}
	if rawjson.IsNested(body.Get("value")) {
		return nil, response.Unusable("the value of the resource server's aggregate is an object or a list", "")
	}
	for i, row := range rawjson.ParseRows(groups) {
		members := row.Members
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		count := members.Get(wire.Count)
		hasOddCount := count != nil && rawjson.Kind(count) != rawjson.Number
		if members == nil || hasOddCount || rawjson.IsNested(members.Get("key")) || rawjson.IsNested(members.Get("value")) {
			return nil, response.Unusable(fmt.Sprintf("group %d of the resource server's aggregate has another form", i+1), "")
		}
		if at := slices.Index(members.Names(), "key"); at > 0 { // the key comes first
			members = slices.Concat(members[at:at+1], members[:at], members[at+1:])
		}
		found.Groups = append(found.Groups, answer.Group{Value: groups[i], Members: members})
	}
	input.complete(found, originOf(response), response.GrantIDs)
	return found, nil
}

// isServerOrder reports whether the resource server returns the groups in the order of sort: the largest first, or
// times from the earliest.
func (q *groups) isServerOrder() bool {
	switch q.query.Sort {
	case "-value":
		return q.query.GroupByTime == "" && q.query.Metric == wire.Count
	case "key":
		return q.query.GroupBy == ""
	}
	return q.query.Sort == ""
}

// askServer requests the groups with the limit of the call (R-ARG-6, R-AGG-4), or all if the adapter orders them. If the
// limit cut the groups of one source, a second request shows how many there are, and whether an equal one follows
// (R-AGG-2, R-CLAIM-7). The groups of several sources and those by time without a limit are read again later.
func (q *groups) askServer(ctx context.Context, env tool.Env) (*answer.Groups, error) {
	widest := q.request
	widest.Query = widest.Query.With(wire.Limit, strconv.Itoa(answer.MaxGroups))
	if !q.isServerOrder() {
		return getGroups(ctx, env, widest, q.input)
	}
	found, err := getGroups(ctx, env, q.request, q.input)
	if err != nil || !found.IsCut() || found.IsJoined() || found.Limit() >= answer.MaxGroups || found.IsTimeline() && q.query.Limit == 0 {
		return found, err
	}
	all, err := getGroups(ctx, env, widest, q.input)
	if err != nil {
		return found, nil // it says how to get the rest
	}
	if all.Others() == 0 {
		found.Known = len(all.Groups)
	}
	all.Keep(len(found.Groups))
	found.IsTied = all.IsTied
	return found, nil
}

// sort orders the groups as the call asks. It returns false if the resource server did not send all of them.
func (q *groups) sort(found *answer.Groups) bool {
	others, isKnown := found.Members.Int(othersName)
	if !found.IsGrouped || !isKnown || others != 0 || len(found.Groups) >= answer.MaxGroups {
		return false
	}
	found.Known = len(found.Groups)
	q.tally.Sort(found)
	return true
}

// isUnmatched reports whether no record matches the filter of the call.
func (q *groups) isUnmatched(found *answer.Groups) bool {
	matched, isKnown := found.Members.Int("filtered_record_count")
	return len(q.input.Filter) > 0 && isKnown && matched == 0 && found.Missing == nil
}

// explained returns the complete reading in place of a result without records, because it shows why no record matches
// (R-CLAIM-8).
func (q *groups) explained(ctx context.Context, env tool.Env, found *answer.Groups) *answer.Groups {
	tallied, err := tally.New(q.query)
	if err != nil {
		return found
	}
	local := *q
	local.filters, local.tally = true, tallied
	if read, err := local.read(ctx, env); err == nil && read.Reading.Complete && read.Reading.Matched == 0 {
		return read
	}
	return found
}

// isPlainCount reports whether the call has nothing that a resource server may refuse to measure.
func (q *groups) isPlainCount() bool {
	return q.query.Metric == wire.Count && q.input.GroupBy == nil && q.input.GroupByTime == nil && len(q.input.Filter) == 0
}

// isAdvertised reports whether the schema advertises aggregates of the stream, so that a plain count is not refused for
// the lack of them (810k).
func (q *groups) isAdvertised(ctx context.Context, env tool.Env) bool {
	scope := schemadoc.Scope{Stream: &q.input.Stream, ConnectionID: q.input.ConnectionID}
	schema, err := schemaquery.Ask(schemaquery.Recent(ctx), env.RS, scope, q.request.Sources)
	if err != nil {
		return false
	}
	for _, stream := range schema.Rows() {
		if slices.ContainsFunc(stream.Fields(), func(f schemadoc.Field) bool { return f.Values("a") != nil }) {
			return true
		}
	}
	return false
}

// refusesFilter reports whether an error refuses all filters. If so, the adapter applies the filter from then on.
func (q *groups) refusesFilter(env tool.Env, err error) bool {
	if q.filters || len(q.input.Filter) == 0 || !isFilterRefusal(err) {
		return false
	}
	env.Readings.NoteRefusal(rs.Origins(env.RS, q.request))
	q.filters = true
	return true
}
