package scan

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// joining completes an aggregate that the resource server cut.
type joining struct {
	ctx     context.Context
	env     tool.Env
	request rs.Request
	input   GroupsInput
}

// complete sends the request again if the RS cut groups that fit. It corrects the groups of several connections,
// because the RS cuts the groups of each connection before it adds them up (R-AGG-4). Time groups need no correction:
// the earliest of all are among the earliest of each.
func (j *joining) complete(found *answer.Groups) *answer.Groups {
	_, hasLimit := j.request.Query.Get(wire.Limit)
	limit := found.Limit()
	if found.IsCut() && limit < answer.MaxGroups && (found.IsTimeline() && !hasLimit || found.IsJoined() && !found.IsTimeline()) {
		if wider, err := j.read(nil); err == nil { // if it fails, the first answer says how to get the rest
			found = wider
		}
	}
	if !found.IsJoined() {
		return found
	}
	connections := j.connections()
	switch {
	case len(connections) < 2:
		return found
	case !found.IsGrouped: // a single number needs no correction
		found.Connections = len(connections)
	case found.IsTimeline():
		join(found, found.Groups, len(found.Groups), len(connections))
	case !found.IsCut():
		join(found, found.Groups, limit, len(connections))
	default:
		j.merge(found, connections, limit)
	}
	return found
}

// read requests all groups that the RS returns, of one connection if it is not nil.
func (j *joining) read(connection *string) (*answer.Groups, error) {
	request := j.request
	request.Query = request.Query.With(wire.Limit, strconv.Itoa(answer.MaxGroups))
	if connection != nil {
		request.Query = request.Query.With(wire.ConnectionID, *connection)
		request.Sources = rs.OneSource{Stream: j.input.Stream, ConnectionID: connection}
	}
	return getGroups(j.ctx, j.env, request, j.input)
}

// join keeps the first groups, up to the limit (0: all).
func join(found *answer.Groups, groups []answer.Group, limit, connections int) {
	others, _ := found.Members.Int("filtered_record_count")
	unknown := others // records in groups that are not among these
	kept := min(cmp.Or(limit, len(groups)), len(groups))
	found.Groups = make([]answer.Group, len(groups))
	for i, group := range groups {
		if unknown -= group.Count(); i < kept {
			others -= group.Count()
		}
		found.Groups[i].Members = rawjson.Object{rawjson.Raw("key", group.Key()), rawjson.Int(wire.Count, group.Count())}
	}
	found.Keep(kept)
	isTimeline := found.IsTimeline()
	found.Members = found.Members.WithAll(rawjson.Int("other_count", max(0, others)))
	if !isTimeline && limit > 0 {
		found.Members = found.Members.WithAll(rawjson.Int(wire.Limit, int64(limit)))
	}
	if found.Connections = connections; unknown <= 0 {
		found.Known = len(groups)
	}
}

// merge adds up the groups of each connection. If a connection fails, or has more groups than the RS returns, the
// counts are rough.
func (j *joining) merge(found *answer.Groups, connections []string, limit int) {
	merged, isComplete, err := j.countEach(connections)
	if err != nil {
		merged = found.Groups
	}
	join(found, merged, limit, len(connections))
	if !isComplete {
		found.IsRough, found.Known = true, 0
	}
}

// countEach returns the groups of all connections, the largest first, and whether the RS returned all of them.
func (j *joining) countEach(connections []string) (merged []answer.Group, isComplete bool, err error) {
	isComplete = true
	for _, connection := range connections {
		own, err := j.read(&connection)
		if err != nil {
			return nil, false, err
		}
		isComplete = isComplete && own.Others() == 0
		for _, group := range own.Groups {
			if i := slices.IndexFunc(merged, func(g answer.Group) bool { return bytes.Equal(g.Key(), group.Key()) }); i >= 0 {
				merged[i].Members = merged[i].Members.WithAll(rawjson.Int(wire.Count, merged[i].Count()+group.Count()))
			} else {
				merged = append(merged, group)
			}
		}
	}
	slices.SortStableFunc(merged, func(x, y answer.Group) int {
		return cmp.Or(cmp.Compare(y.Count(), x.Count()), bytes.Compare(x.Key(), y.Key()))
	})
	return merged, isComplete, nil
}

// connections returns the granted connections that have the stream, or nil if the schema cannot be read.
func (j *joining) connections() []string {
	scope := schemadoc.Scope{Stream: &j.input.Stream}
	schema, err := schemaquery.Ask(schemaquery.Recent(j.ctx), j.env.RS, scope, j.request.Sources)
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
