package render

import (
	"context"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// timeRole is what schemas call the field that says when something happened.
const timeRole = "event-time"

// timeOfRole is the value of the record's field that the schema gives the role of the event time (R-FETCH-8). It is for a record
// that has neither a title nor a time by a known name, since it reads the schema; empty when that is not to be had, or names
// no such field.
func timeOfRole(ctx context.Context, env tool.Env, record *row) string {
	scope := schemadoc.Scope{Stream: &record.stream}
	if record.connectionID != "" {
		scope.ConnectionID = &record.connectionID
	}
	schema, err := scope.Ask(ctx, env.RS.Get, rs.OneSource{Stream: record.stream, ConnectionID: scope.ConnectionID})
	if err != nil {
		return ""
	}
	for _, stream := range schema.Rows() {
		for _, field := range schemadoc.Fields(stream.Object()) {
			if value := record.fields.Get(field.Name); value != nil && slices.Contains(field.Values("role"), timeRole) {
				return timeText(value)
			}
		}
	}
	return ""
}

// documentTitle is the title of a record that is shown alone (R-FETCH-8): the source's own, else label, stream and time.
func documentTitle(ctx context.Context, env tool.Env, record *row, label string) string {
	if own := ownTitle(nil, record.fields, nil); own != "" {
		return own
	}
	// What the source's wrapper says of the record is no source field, and may stand in a title of a projection (R-FETCH-3).
	happened := authoredTime(rawjson.Object{rawjson.Raw("authored_at", record.members.Get("authored_at"))}, record.fields)
	if happened == "" && len(record.fields) > 0 {
		happened = timeOfRole(ctx, env, record)
	}
	return madeTitle(record.identity, label, timeInTitle(happened, record.members), nil)
}
