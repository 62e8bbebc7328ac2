package operation

import (
	"context"
	"errors"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// readCompact asks for the compact view. A server that rejects it, or the scope, is asked again with
// less; its first refusal is the one that counts.
func readCompact(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	return readAny(ctx, env, input, scopedQuery("view", "compact", input), scopedQuery("", "", input), rs.Query{})
}

// readFull asks for full detail. Servers that do not know the word are full without it.
func readFull(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	return readAny(ctx, env, input, scopedQuery("detail", "full", input), scopedQuery("", "", input))
}

func scopedQuery(name, value string, input SchemaInput) rs.Query {
	var query rs.Query
	if name != "" {
		query.Set(name, value)
	}
	query.String("stream", input.Stream)
	query.String("connection_id", input.ConnectionID)
	return query
}

// readAny reads with the first query, and with the next ones while the server finds the request
// itself invalid. No query is sent twice.
func readAny(ctx context.Context, env tool.Env, input SchemaInput, queries ...rs.Query) (*rs.Response, error) {
	sources := rs.SchemaOfSources{Stream: input.Stream, ConnectionID: input.ConnectionID}
	var first error
	last := ""
	for i, query := range queries {
		if i > 0 && query.Encoded() == last {
			continue
		}
		last = query.Encoded()
		response, err := env.RS.Get(ctx, rs.Request{Path: rs.JoinPath("v1", "schema"), Query: query, Sources: sources})
		if err == nil {
			return response, nil
		}
		if first == nil {
			first = err
		}
		if !rejectsQuery(err) {
			break
		}
	}
	return nil, first
}

// rejectsQuery tells a server that does not know a parameter from one that says no.
func rejectsQuery(err error) bool {
	var refused *rs.Error
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest
}
