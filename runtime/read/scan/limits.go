package scan

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// limitsOfStream returns the limits of the grants that a call of one stream, or of all streams as a timeline, reaches
// past (R-CLAIM-1). A call is whole if it asks for all fields.
func limitsOfStream(
	env tool.Env, name string, connectionID *string, filter rs.Filter, isWhole bool, covered answer.Coverage,
) []answer.Limit {
	if name == tool.EveryStream {
		return limitsOfAnyTime(env, nil, connectionID, filter, isWhole, covered)
	}
	asked := granted.Question{
		Streams: []string{name}, ConnectionID: connectionID, Conditions: filter, GrantIDs: covered.GrantIDs, IsWhole: isWhole,
	}
	return asked.Exceeded(env.Granted)
}

// limitsOfAnyTime returns those of a call whose filter has the key of a timeline for the time of a record. Streams is
// nil for all streams.
func limitsOfAnyTime(
	env tool.Env, streams []string, connectionID *string, filter rs.Filter, isWhole bool, covered answer.Coverage,
) []answer.Limit {
	if others, span, err := withoutTime(filter, env.Clock); err == nil && span != nil {
		filter = append(others, span.filter()...)
	}
	asked := granted.Question{
		Streams: streams, ConnectionID: connectionID, Conditions: filter, GrantIDs: covered.GrantIDs, IsWhole: isWhole,
	}
	return asked.Exceeded(env.Granted)
}
