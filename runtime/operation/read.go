package operation

import (
	"context"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// readCompact asks for the compact view, and the scope of it.
func readCompact(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	all := rs.SchemaOfSources{Stream: input.Stream, ConnectionID: input.ConnectionID}
	return readSchema(ctx, env, input, all, rs.Parameter{Name: "view", Value: "compact"})
}

// readFull asks one source for full detail: of several, none is asked (R-SCH-7, R-ERR-5). Servers that do not know
// the word are full without it.
func readFull(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	one := rs.OneSource{Stream: *input.Stream, ConnectionID: input.ConnectionID}
	return readSchema(ctx, env, input, one, rs.Parameter{Name: "detail", Value: "full"})
}

// readSchema reads with the extent and the scope. A server may refuse either: view and detail are newer than the
// scope. What the answer lacks of them is done here (R-SCH-1).
func readSchema(ctx context.Context, env tool.Env, input SchemaInput, sources rs.Sources, extent rs.Parameter) (*rs.Response, error) {
	request := rs.Request{
		Path:     rs.JoinPath("v1", "schema"),
		Sources:  sources,
		Optional: []string{extent.Name, "stream", "connection_id"},
	}
	request.Query.Set(extent.Name, extent.Value)
	request.Query.String("stream", input.Stream)
	request.Query.String("connection_id", input.ConnectionID)
	return env.RS.Get(ctx, request)
}
