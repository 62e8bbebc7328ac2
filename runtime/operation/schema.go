// Package operation holds the tools that do more than one request and one rendering.
package operation

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// SchemaInput is the arguments of the schema tool.
type SchemaInput struct {
	Stream       *string
	ConnectionID *string
	Detail       *string // compact or full; nil is compact
}

// Schema reads the schema of the grant.
func Schema(ctx context.Context, env tool.Env, input SchemaInput) (*tool.Result, error) {
	var query rs.Query
	query.Set("view", "compact")
	query.String("stream", input.Stream)
	query.String("connection_id", input.ConnectionID)
	response, err := env.RS.Get(ctx, rs.JoinPath("v1", "schema"), &query)
	if err != nil {
		return nil, err
	}
	return render.Aggregate(ctx, env, response, render.AggregateInput{})
}
