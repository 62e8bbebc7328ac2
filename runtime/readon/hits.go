package readon

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// HitsInput is what a search asks for. A nil member was not given.
type HitsInput struct {
	Filter  rs.Filter
	Cursor  *string
	Streams []string
}

// Hits reads a page of hits.
func Hits(ctx context.Context, env tool.Env, request rs.Request, _ HitsInput) (*rs.Response, error) {
	return env.Get(ctx, request)
}
