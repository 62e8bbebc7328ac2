package operation

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// parameter is one query parameter of the schema.
type parameter struct{ name, value string }

// readCompact asks for the compact view, and the scope of it.
func readCompact(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	return readSchema(ctx, env, append([]parameter{{"view", "compact"}}, scopeParameters(input)...))
}

// readFull asks for full detail. Servers that do not know the word are full without it.
func readFull(ctx context.Context, env tool.Env, input SchemaInput) (*rs.Response, error) {
	return readSchema(ctx, env, append([]parameter{{"detail", "full"}}, scopeParameters(input)...))
}

func scopeParameters(input SchemaInput) []parameter {
	var parameters []parameter
	if input.Stream != nil {
		parameters = append(parameters, parameter{"stream", *input.Stream})
	}
	if input.ConnectionID != nil {
		parameters = append(parameters, parameter{"connection_id", *input.ConnectionID})
	}
	return parameters
}

// readSchema reads with all parameters. When the server rejects one, it is asked again without that one;
// what the parameter stands for is done here then (R-SCH-1). Each parameter is dropped once at most, and
// a refusal that is about something else is final. The first refusal is the one that counts.
func readSchema(ctx context.Context, env tool.Env, parameters []parameter) (*rs.Response, error) {
	var first error
	for {
		query := &rs.Query{}
		for _, p := range parameters {
			query.Set(p.name, p.value)
		}
		response, err := env.RS.Get(ctx, rs.JoinPath("v1", "schema"), query)
		if err == nil {
			return response, nil
		}
		if first == nil {
			first = err
		}
		fewer, again := withoutRejected(err, parameters)
		if !again {
			return nil, first
		}
		parameters = fewer
	}
}

// withoutRejected are the parameters without the one that a server does not take, or false when the
// refusal is about something else. A server that does not say which is thought to mean the first one,
// since view and detail are newer than the scope, and after that the scope.
func withoutRejected(err error, sent []parameter) ([]parameter, bool) {
	var refused *rs.Error
	if len(sent) == 0 || !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || refused.Code != "invalid_request" {
		return nil, false
	}
	var envelope struct {
		Param string `json:"param"`
	}
	if json.Unmarshal(refused.Envelope, &envelope) != nil || envelope.Param == "" {
		if isScope(sent[0]) {
			return nil, true
		}
		return sent[1:], true
	}
	fewer := slices.DeleteFunc(slices.Clone(sent), func(p parameter) bool { return p.name == envelope.Param })
	return fewer, len(fewer) < len(sent)
}

func isScope(p parameter) bool { return p.name == "stream" || p.name == "connection_id" }
