package render

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// documentTitle returns the title of a record that is shown alone (R-FETCH-8): the source's own, otherwise label, stream and time.
func documentTitle(ctx context.Context, env tool.Env, record *row, label string) string {
	if own := ownTitle(nil, record.fields, nil); own != "" {
		return own
	}
	// The wrapper's time is not a field of the source, so that a projection does not remove it (R-FETCH-3).
	happened := authoredTime(rawjson.Object{rawjson.Raw("authored_at", record.members.Get("authored_at"))}, record.fields)
	if happened == "" && len(record.fields) > 0 {
		happened = timeOfRole(ctx, env, record)
	}
	return madeTitle(record.identity, label, timeInTitle(happened, record.members), nil)
}

// timeOfRole returns the value of the field to which the schema gives the role of the event time (R-FETCH-8). It reads the schema, so it is only
// for a record without a title and without a time of a known name. It returns "" if the schema is unavailable or names no such field.
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
		for _, field := range stream.Fields() {
			if value := record.fields.Get(field.Name); value != nil && tool.TimeRole.IsAdvertised(field.Values("role")) {
				return timeText(value)
			}
		}
	}
	return ""
}
