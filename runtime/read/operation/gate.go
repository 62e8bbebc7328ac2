package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// ExpandAdvertisedInput has the arguments that ExpandAdvertised checks.
type ExpandAdvertisedInput struct {
	Stream       string
	ConnectionID *string // nil: any source
	Relations    string  // the name of the argument with the relations
	Limits       string  // the name of the argument with their limits
}

// ExpandAdvertised returns invalid_expand if the schema advertises no usable expand_capabilities for the stream
// (R-ARG-8). It reads the schema on every call. It accepts the call if the schema cannot be read or does not know the
// stream, and if one of several sources advertises a relation.
func ExpandAdvertised(ctx context.Context, env tool.Env, _ rawjson.Object, input ExpandAdvertisedInput) error {
	scope := schemadoc.Scope{Stream: &input.Stream, ConnectionID: input.ConnectionID}
	source := rs.OneSource{Stream: input.Stream, ConnectionID: input.ConnectionID}
	schema, err := schemaquery.Ask(ctx, env.RS, scope, source)
	if err != nil || schema.StreamCount() == 0 {
		return nil //nolint:nilerr // the resource server decides
	}
	for _, row := range schema.Rows() {
		if slices.ContainsFunc(row.Relations(), schemadoc.Relation.Usable) {
			return nil
		}
	}
	return &tool.Error{
		Code: tool.InvalidExpand,
		Message: fmt.Sprintf("the stream %q advertises no expand_capabilities, so %s, and limits of it, cannot be used on it; "+
			"leave them out, and see GET /v1/schema (expand_capabilities) for what can be expanded", input.Stream, input.Relations),
		Param:   input.Relations,
		Instead: []rawjson.Object{{{Name: input.Relations}, {Name: input.Limits}}},
	}
}
