// Package refusal explains a refused call (R-ERR-7): which names would be accepted, the nearest first, and the
// corrected call if it is certain. It reads the schema once, with the same bearer, and only after a refusal that is
// about a name.
package refusal

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Explained returns the tool with errors that say what to call instead. An error is the tool's own, or a
// *tool.Explained that wraps it.
func Explained(definition tool.Definition) tool.Definition {
	ask := definition.Ask
	definition.Ask = func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Answer, error) {
		answer, err := ask(ctx, env, arguments)
		if err != nil {
			return nil, explained(ctx, env, definition, arguments, err)
		}
		draw := answer.Draw
		answer.Draw = func() (*tool.Result, error) {
			result, err := draw()
			if err != nil {
				err = explained(ctx, env, definition, arguments, err)
			}
			return result, err
		}
		return answer, nil
	}
	return definition
}

// explained returns the error of a call with what to call instead, or the error alone if that is unknown.
func explained(ctx context.Context, env tool.Env, definition tool.Definition, arguments json.RawMessage, err error) error {
	members, unreadable := rawjson.ReadMembers(arguments)
	if unreadable != nil {
		return err // it already says that the arguments are unreadable
	}
	refused := call{definition, members, env.Connect, env.Readings != nil}
	if explained := refused.explain(ctx, env, err); explained != nil {
		explained.Cause = err
		return explained
	}
	return err
}

// call is a call that was refused.
type call struct {
	tool.Definition
	given   rawjson.Object
	connect func(tool.Uncovered) string // of tool.Env
	tallies bool                        // the adapter computes the aggregates that the resource server does not declare (R-SCAN-3)
}

// explain returns what to call instead, or nil if that is unknown.
func (c call) explain(ctx context.Context, env tool.Env, err error) *tool.Explained {
	if calls := c.connectionCalls(err); calls != nil {
		return &tool.Explained{Next: calls}
	}
	var own *tool.Error
	var refused *rs.Error
	switch {
	case errors.As(err, &own):
		if corrections := c.corrections(own); corrections != nil {
			return &tool.Explained{Next: c.callsWith(corrections...)}
		}
		if wrong := c.argument(own.Param); !own.AboutNames && wrong != nil && wrong.Values != nil && own.Accepted == nil {
			return &tool.Explained{Accepted: wrong.Values}
		}
		if !own.AboutNames {
			return nil
		}
	case !errors.As(err, &refused):
		return nil
	case refused.Code == "invalid_cursor" && c.given.Get(c.Pages) != nil:
		return &tool.Explained{Param: c.Pages, Next: c.callsWith(rawjson.Object{{Name: c.Pages}})}
	case refused.Code == "invalid_cursor" && c.given.Get(c.Changes) != nil:
	case !tool.IsAboutNames(refused):
		return signIn(refused, err)
	case c.Name == tool.SchemaTool:
		return withoutSchema(refused, refused)
	}
	schema, err := schemaquery.Get(ctx, env.RS, c.schemaRequest(refused))
	if err != nil {
		return withoutSchema(refused, err)
	}
	checked := review{call: c, document: schema.Document, names: schema.Document.Names(), refused: refused}
	return checked.conclude()
}

// schemaRequest returns the request for the schema that explains a refusal: the index, or the row with the views if the
// call names a view and the refusal may be about it (039, 041b).
func (c call) schemaRequest(refused *rs.Error) rs.Request {
	streams := c.namesOf(tool.CompleteStream)
	if refused == nil || len(streams) != 1 || len(c.namesOf(tool.CompleteView)) == 0 || refused.Code != "invalid_request" || refused.Param() != "" {
		return schemaquery.Request(schemadoc.Scope{}, false)
	}
	scope := schemadoc.Scope{Stream: &streams[0].text}
	if connection := c.connectionID(); connection != "" {
		scope.ConnectionID = &connection
	}
	request := schemaquery.Request(scope, true)
	request.Query = request.Query.Without(wire.Detail) // which takes one source only
	return request
}

func (c call) argument(name string) *tool.Argument {
	return c.find(func(a tool.Argument) bool { return a.Name == name })
}

// find returns the first matching argument of the tool, or nil.
func (c call) find(matches func(tool.Argument) bool) *tool.Argument {
	i := slices.IndexFunc(c.Arguments, matches)
	if i < 0 {
		return nil
	}
	return &c.Arguments[i]
}

// signIn returns how to replace a grant that ended. It returns nil if none ended or no command is known.
func signIn(refused *rs.Error, err error) *tool.Explained {
	ended, hasEnded := errors.AsType[*tool.SignInError](err)
	if !hasEnded {
		return nil
	}
	return tool.SignInAgain(refused, ended.Command)
}

// connectionID returns the only connection that the call names, or an empty string.
func (c call) connectionID() string {
	if named := c.namesOf(tool.CompleteConnection); len(named) == 1 {
		return named[0].text
	}
	return ""
}

// packageHint is the hint for a token without a schema. A client token always has a schema, which may be empty.
const packageHint = "The provider answers this token with 404 for its schema too, as it does for a package token, which covers " +
	"several connections. No change of arguments helps: such a token is for the hosted MCP server, /mcp at the provider's " +
	"address; for this one, connect again and approve a single connection."

// withoutSchema returns the hint for a package token: the server does not find its schema. It returns nil for a wrong
// name (R-STDIO-6).
func withoutSchema(refused *rs.Error, err error) *tool.Explained {
	var schemaRefusal *rs.Error
	if refused == nil || !errors.As(err, &schemaRefusal) || refused.Status != http.StatusNotFound || schemaRefusal.Status != http.StatusNotFound {
		return nil
	}
	return &tool.Explained{Hint: packageHint}
}
