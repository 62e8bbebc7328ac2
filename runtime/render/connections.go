package render

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// isJoined reports whether the figures may be of several connections: the RS does not say then what stands behind groups (787c).
func (a *aggregation) isJoined() bool {
	return a.input.ConnectionID == nil &&
		!slices.ContainsFunc(a.body, func(member rawjson.Member) bool { return member.Name == "other_count" })
}

// isCut reports whether there may be more groups than the RS gave.
func (a *aggregation) isCut() bool {
	isFull := a.limit() > 0 && len(a.groups) >= a.limit()
	return a.others() > 0 || isFull && a.body.Get("other_count") == nil
}

// limit is how many groups the RS gives at most, or 0 when it does not say.
func (a *aggregation) limit() int {
	limit, _ := a.body.Int("limit")
	return int(max(0, min(limit, groupsMost)))
}

// whole asks again where groups were cut and need not be, and counts what stands behind those of several connections. The RS
// cuts them for each connection before it adds them up: by time they are right nevertheless, since the earliest of all are
// among the earliest of each; others may be missing or too small (R-AGG-4).
func (a *aggregation) whole(ctx context.Context, env tool.Env) *aggregation {
	_, isAsked := a.response.Request.Query.Get("limit")
	limit := a.limit()
	if a.isCut() && limit < groupsMost && (a.byTime() && !isAsked || a.isJoined() && !a.byTime()) {
		request := a.response.Request
		request.Query = request.Query.With("limit", fmt.Sprint(groupsMost))
		if wider, err := a.again(ctx, env, request); err == nil { // else the groups at hand say how to get the rest
			a = wider
		}
	}
	if !a.isJoined() {
		return a
	}
	connections := a.connections(ctx, env)
	switch {
	case len(connections) < 2:
		return a
	case !a.grouped: // which is right over several connections
		a.together = countedTogether(len(connections))
		return a
	case a.byTime():
		return a.joined(ctx, connections, a.counts(), len(a.groups), 0)
	case !a.isCut():
		return a.joined(ctx, connections, a.counts(), limit, 0)
	}
	return a.ofEach(ctx, env, connections, limit)
}

// again is the answer to another request.
func (a *aggregation) again(ctx context.Context, env tool.Env, request rs.Request) (*aggregation, error) {
	response, err := env.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	return openAggregation(ctx, response, a.input)
}

// counted is a group with what it counts.
type counted struct {
	key   rawjson.Value
	count int64
	lacks int64 // what it may count more, in connections that do not show it
}

// counts are the groups as they came.
func (a *aggregation) counts() []counted {
	groups := make([]counted, len(a.fields))
	for i, fields := range a.fields {
		if groups[i].key = fields.Get("key"); groups[i].key == nil {
			groups[i].key = rawjson.Value("null")
		}
		groups[i].count, _ = fields.Int("count")
	}
	return groups
}

// joined is the answer with the first of these groups of several connections, as many as the limit says, and says whether they
// are known to be right. All are shown without a limit. Hidden is the most that a group counts which no connection shows.
func (a *aggregation) joined(ctx context.Context, connections []string, groups []counted, limit int, hidden int64) *aggregation {
	others, _ := a.body.Int("filtered_record_count")
	most := limit
	if limit == 0 {
		most = len(groups)
	}
	shown := make([]rawjson.Value, min(most, len(groups)))
	for i := range shown {
		others -= groups[i].count
		shown[i] = rawjson.Object{rawjson.Raw("key", groups[i].key), rawjson.Int("count", groups[i].count)}.Encode()
	}
	members := []rawjson.Member{rawjson.Raw("groups", rawjson.Array(shown)), rawjson.Int("other_count", max(0, others))}
	if !a.byTime() && limit > 0 {
		members = append(members, rawjson.Int("limit", int64(limit)))
	}
	body := a.body
	for _, member := range members {
		body = body.With(member.Name, member.Value)
	}
	made, err := openAggregation(ctx, a.response.WithMembers(body), a.input)
	if err != nil {
		return a
	}
	made.together = countedTogether(len(connections))
	if hidden == 0 {
		made.all = len(groups)
	}
	if !isSettled(groups, most, hidden) {
		made.together += " A count may be too low, and a group may be missing: each connection gives its largest alone. Ask for one connection at a time."
	}
	return made
}

func countedTogether(connections int) string {
	return fmt.Sprintf("%d connections are counted together.", connections)
}

// ofEach asks each connection for its groups and adds them up.
func (a *aggregation) ofEach(ctx context.Context, env tool.Env, connections []string, limit int) *aggregation {
	var merged []counted
	hidden := int64(0)
	for _, connection := range connections {
		request := a.response.Request
		request.Query = request.Query.With("limit", fmt.Sprint(groupsMost)).With("connection_id", connection)
		request.Sources = rs.OneSource{Stream: a.input.Stream, ConnectionID: &connection}
		own, err := a.again(ctx, env, request)
		if err != nil {
			return a.joined(ctx, connections, a.counts(), limit, math.MaxInt64)
		}
		groups, most := own.counts(), int64(0)
		if own.others() > 0 && len(groups) > 0 {
			most = min(own.others(), groups[len(groups)-1].count)
		}
		merged = addUp(merged, groups, hidden, most)
		hidden += most
	}
	slices.SortStableFunc(merged, func(x, y counted) int { return cmp.Or(cmp.Compare(y.count, x.count), bytes.Compare(x.key, y.key)) })
	return a.joined(ctx, connections, merged, limit, hidden)
}

// addUp adds the groups of one more connection. One that earlier connections did not show may count so much more in them, and one
// that this connection does not show, in this.
func addUp(merged, groups []counted, earlier, here int64) []counted {
	for i := range merged {
		at := slices.IndexFunc(groups, func(g counted) bool { return bytes.Equal(g.key, merged[i].key) })
		if at < 0 {
			merged[i].lacks += here
			continue
		}
		merged[i].count += groups[at].count
		groups = slices.Delete(groups, at, at+1)
	}
	for _, group := range groups {
		group.lacks = earlier
		merged = append(merged, group)
	}
	return merged
}

// isSettled reports whether the first groups are those of all records: their counts are whole, and no other can be larger.
func isSettled(merged []counted, limit int, hidden int64) bool {
	if len(merged) <= limit {
		return hidden == 0
	}
	last := merged[limit-1].count
	for i, group := range merged {
		if i < limit && group.lacks > 0 || i >= limit && group.count+group.lacks > last {
			return false
		}
	}
	return hidden <= last
}

// connections are those of the grant that have the stream, or none when the schema does not tell.
func (a *aggregation) connections(ctx context.Context, env tool.Env) []string {
	schema, err := schemadoc.Scope{Stream: &a.input.Stream}.Ask(ctx, env.Get, a.response.Request.Sources)
	if err != nil {
		return nil
	}
	var ids []string
	for connector, stream := range schema.Rows() {
		for _, connection := range connector.ConnectionsOf(stream) {
			if !slices.Contains(ids, connection.ID) {
				ids = append(ids, connection.ID)
			}
		}
	}
	return ids
}
