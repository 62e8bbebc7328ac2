package operation

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// readCompact asks for the compact view, and the scope of it.
func readCompact(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	return readSchema(ctx, env, input, rs.Parameter{Name: "view", Value: "compact"})
}

// readFull asks for full detail. Servers that do not know the word are full without it.
func readFull(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	return readSchema(ctx, env, input, rs.Parameter{Name: "detail", Value: "full"})
}

// readSchema reads with the extent and the scope. When the server rejects a parameter, it is asked again without that one;
// what the parameter stands for is done here then (R-SCH-1). Each parameter is dropped once at most, and
// a refusal that is about something else is final. The first refusal is the one that counts.
func readSchema(ctx context.Context, env tool.Env, input SchemaInput, extent rs.Parameter) (*rs.Response, error) {
	request := rs.Request{
		Path:    rs.JoinPath("v1", "schema"),
		Sources: rs.SchemaOfSources{Stream: input.Stream, ConnectionID: input.ConnectionID},
	}
	request.Query.Set(extent.Name, extent.Value)
	request.Query.String("stream", input.Stream)
	request.Query.String("connection_id", input.ConnectionID)
	var first error
	for {
		response, err := env.RS.Get(ctx, request)
		if err == nil {
			return response, nil
		}
		if first == nil {
			first = err
		}
		fewer, again := withoutRejected(err, request.Query, extent.Name)
		if !again {
			return nil, first
		}
		request.Query = fewer
	}
}

// withoutRejected is the query without the parameter that a server does not take, or false when the
// refusal is about something else. A server that does not say which is thought to mean the extent, since
// view and detail are newer than the scope, and after that the scope.
func withoutRejected(err error, sent rs.Query, extent string) (rs.Query, bool) {
	var refused *rs.Error
	if len(sent.Parameters()) == 0 || !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || refused.Code != "invalid_request" {
		return rs.Query{}, false
	}
	var envelope struct {
		Param string `json:"param"`
	}
	if json.Unmarshal(refused.Envelope, &envelope) != nil || envelope.Param == "" {
		if _, isThere := sent.Get(extent); !isThere {
			return rs.Query{}, true
		}
		return sent.Without(extent), true
	}
	_, isThere := sent.Get(envelope.Param)
	return sent.Without(envelope.Param), isThere
}
