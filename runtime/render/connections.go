package render

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// isJoined reports whether the figures may be of several connections. The RS then sends no other_count (787c).
func (a *aggregation) isJoined() bool {
	return a.input.ConnectionID == nil && !hasName(a.body, "other_count")
}

// isCut reports whether there may be more groups than the RS sent.
func (a *aggregation) isCut() bool {
	isFull := a.limit() > 0 && len(a.groups) >= a.limit()
	return a.others() > 0 || isFull && a.body.Get("other_count") == nil
}

// limit returns the RS's limit of groups, or 0 if it does not say.
func (a *aggregation) limit() int {
	limit, _ := a.body.Int("limit")
	return int(max(0, min(limit, maxGroups)))
}

// complete sends the request again if the RS cut groups that fit. It corrects the groups of several connections, because the RS cuts the
// groups of each connection before it adds them up (R-AGG-4). Time groups need no correction: the earliest of all are among the earliest
// of each.
func (a *aggregation) complete(ctx context.Context, env tool.Env) *aggregation {
	_, hasLimit := a.response.Request.Query.Get("limit")
	limit := a.limit()
	if a.isCut() && limit < maxGroups && (a.isTimeline() && !hasLimit || a.isJoined() && !a.isTimeline()) {
		request := a.response.Request
		request.Query = request.Query.With("limit", fmt.Sprint(maxGroups))
		if wider, err := a.send(ctx, env, request); err == nil { // if it fails, the first answer says how to get the rest
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
	case !a.isGrouped: // a single number needs no correction
		a.togetherNote = countedTogether(connections)
		return a
	case a.isTimeline():
		return a.join(ctx, connections, a.counts(), len(a.groups), true)
	case !a.isCut():
		return a.join(ctx, connections, a.counts(), limit, true)
	}
	return a.mergeConnections(ctx, env, connections, limit)
}

func (a *aggregation) send(ctx context.Context, env tool.Env, request rs.Request) (*aggregation, error) {
	response, err := env.Get(ctx, request)
	if err != nil {
		return nil, err
	}
	return openAggregation(ctx, response, a.input)
}

type countedGroup struct {
	key   rawjson.Value
	count int64
}

func (a *aggregation) counts() []countedGroup {
	groups := make([]countedGroup, len(a.fields))
	for i, fields := range a.fields {
		if groups[i].key = fields.Get("key"); groups[i].key == nil {
			groups[i].key = rawjson.Value("null")
		}
		groups[i].count, _ = fields.Int("count")
	}
	return groups
}

// join returns the answer with the first of these groups, up to the limit (0: all). Unless isComplete, it notes that they may be wrong.
func (a *aggregation) join(ctx context.Context, connections []string, groups []countedGroup, limit int, isComplete bool) *aggregation {
	others, _ := a.body.Int("filtered_record_count")
	shown := make([]rawjson.Value, min(cmp.Or(limit, len(groups)), len(groups)))
	for i := range shown {
		others -= groups[i].count
		shown[i] = rawjson.Object{rawjson.Raw("key", groups[i].key), rawjson.Int("count", groups[i].count)}.Encode()
	}
	other := rawjson.Int("other_count", max(0, others))
	body := a.body.With("groups", rawjson.Array(shown)).With(other.Name, other.Value)
	if !a.isTimeline() && limit > 0 {
		body = body.With("limit", rawjson.Int("limit", int64(limit)).Value)
	}
	joined, err := openAggregation(ctx, a.response.WithMembers(body), a.input)
	if err != nil {
		return a
	}
	joined.togetherNote = countedTogether(connections)
	if isComplete {
		joined.known = len(groups)
	} else {
		joined.togetherNote += " A count may be too low, and a group may be missing: each connection returns only its largest groups. Ask for one connection at a time."
	}
	return joined
}

func countedTogether(connections []string) string {
	return fmt.Sprintf("%d connections are counted together.", len(connections))
}

func (a *aggregation) mergeConnections(ctx context.Context, env tool.Env, connections []string, limit int) *aggregation {
	var merged []countedGroup
	isComplete := true
	for _, connection := range connections {
		request := a.response.Request
		request.Query = request.Query.With("limit", fmt.Sprint(maxGroups)).With("connection_id", connection)
		request.Sources = rs.OneSource{Stream: a.input.Stream, ConnectionID: &connection}
		own, err := a.send(ctx, env, request)
		if err != nil {
			return a.join(ctx, connections, a.counts(), limit, false)
		}
		isComplete = isComplete && own.others() == 0
		for _, group := range own.counts() {
			if at := slices.IndexFunc(merged, func(g countedGroup) bool { return bytes.Equal(g.key, group.key) }); at >= 0 {
				merged[at].count += group.count
			} else {
				merged = append(merged, group)
			}
		}
	}
	slices.SortStableFunc(merged, func(x, y countedGroup) int { return cmp.Or(cmp.Compare(y.count, x.count), bytes.Compare(x.key, y.key)) })
	return a.join(ctx, connections, merged, limit, isComplete)
}

// connections returns the granted connections that have the stream, or nil if the schema cannot be read.
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
