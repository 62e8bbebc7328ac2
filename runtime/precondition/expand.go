// Package precondition holds the gates that a call passes before its request is sent.
package precondition

import (
	"context"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// ExpandAdvertisedInput says what a call wants to expand.
type ExpandAdvertisedInput struct {
	Stream       string
	ConnectionID *string // nil: any source
	Relations    string  // the name of the argument for what to expand
}

// ExpandAdvertised refuses expand on a stream whose schema advertises no usable expand_capabilities
// (R-ARG-8). It reads the schema on every call, so that a change is seen by the next one. It lets the
// call pass when the schema cannot be read or does not know the stream: then the RS decides. When
// several sources match, one that advertises is enough. Its error is a *tool.Error, invalid_expand.
func ExpandAdvertised(ctx context.Context, env tool.Env, input ExpandAdvertisedInput) error {
	scope := schemadoc.Scope{Stream: &input.Stream, ConnectionID: input.ConnectionID}
	request := scope.Request(false)
	request.Sources = rs.OneSource{Stream: input.Stream, ConnectionID: input.ConnectionID}
	response, err := env.RS.Get(ctx, request)
	if err != nil {
		return nil //nolint:nilerr // the gate fails open
	}
	schema, err := schemadoc.Read(response)
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	schema.Keep(scope)
	if schema.StreamCount() == 0 || slices.ContainsFunc(schema.Connectors, expands) {
		return nil
	}
	return &tool.Error{
		Code: tool.InvalidExpand,
		Message: fmt.Sprintf("the stream %q advertises no expand_capabilities, so %s, and limits of it, cannot be used on it; leave them out, and see GET /v1/schema (expand_capabilities) for what can be expanded",
			input.Stream, input.Relations),
		Param: input.Relations,
	}
}

// expands reports whether a stream of the connector advertises a relation as usable.
func expands(connector *schemadoc.Connector) bool {
	return slices.ContainsFunc(connector.Streams, func(stream *schemadoc.Stream) bool {
		return slices.ContainsFunc(schemadoc.Relations(stream.Object()), schemadoc.Relation.Usable)
	})
}
