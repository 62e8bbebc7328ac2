// Package refusal adds to a refused call what would do in its place (R-ERR-7): the names that there are, the nearest first,
// and the corrected call where it is certain what was meant. It reads the schema for that, once and with the same bearer,
// and only after a refusal that is about a name.
package refusal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Explained returns the tool with errors that say what to call instead. They are those of the tool, or a *tool.Explained with one
// of them as its cause.
func Explained(definition tool.Definition) tool.Definition {
	ask := definition.Ask
	definition.Ask = func(ctx context.Context, env tool.Env, arguments json.RawMessage) (*tool.Answer, error) {
		answer, err := ask(ctx, env, arguments)
		if err != nil {
			return nil, explained(ctx, env, definition, arguments, err)
		}
		render := answer.Render
		answer.Render = func() (*tool.Result, error) {
			result, err := render()
			if err != nil {
				return nil, explained(ctx, env, definition, arguments, err)
			}
			return result, nil
		}
		return answer, nil
	}
	return definition
}

// explained returns the error of a call with what to call instead, or the error alone if that is unknown.
func explained(ctx context.Context, env tool.Env, definition tool.Definition, arguments json.RawMessage, err error) error {
	members, unreadable := rs.Members(arguments)
	if unreadable != nil {
		return err // it says so
	}
	refused := call{definition, members, env.Connect}
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
}

// explain is what would do in the place of the call, or nil when nothing is known of it.
func (c call) explain(ctx context.Context, env tool.Env, err error) *tool.Explained {
	if each := c.ofEach(err); each != nil {
		return each
	}
	var own *tool.Error
	var refused *rs.Error
	switch {
	case errors.As(err, &own):
		if instead := c.instead(own); instead != nil {
			return &tool.Explained{Next: c.with(instead)}
		}
		if !own.AboutNames {
			return nil
		}
	case !errors.As(err, &refused):
		return nil
	case refused.Code == "invalid_cursor" && c.Pages != "" && c.given.Get(c.Pages) != nil:
		return &tool.Explained{Param: c.Pages, Next: c.with(rawjson.Object{{Name: c.Pages}})}
	case !tool.IsAboutNames(refused):
		return c.signIn(refused)
	case c.Name == tool.SchemaTool:
		return withoutSchema(refused, refused)
	}
	response, err := env.RS.Get(ctx, schemadoc.Scope{}.Request(false))
	if err != nil {
		return withoutSchema(refused, err)
	}
	schema, err := schemadoc.Read(response)
	if err != nil {
		return nil
	}
	return c.conclude(c.findings(schema, refused))
}

// signIn is how a login that is at fault is replaced, nil when none is or when that cannot be told.
func (c call) signIn(refused *rs.Error) *tool.Explained {
	if c.connect == nil || !refused.NeedsSignIn() {
		return nil
	}
	return tool.SignInAgain(refused, c.connect(tool.Uncovered{ConnectionID: c.connectionID()}))
}

// orAsk is a sentence that says how the owner is asked for what no grant covers, to be added to others; empty when that cannot
// be told.
func (c call) orAsk(wanted tool.Uncovered) string {
	if c.connect == nil {
		return ""
	}
	return " If the owner has it, the user can ask for it and this call then works: " + c.connect(wanted)
}

// connectionID is the only connection that the call names, else empty.
func (c call) connectionID() string {
	places := c.places(tool.CompleteConnection)
	if len(places) != 1 {
		return ""
	}
	return places[0].name
}

// packageHint is for a token that has no schema. A client's token always has one, if only an empty one.
const packageHint = "The provider answers this token with 404 for its schema too, as it does for a package token, which stands for " +
	"several connections at once. No change of arguments helps: such a token is for the hosted MCP server, /mcp at the provider's " +
	"address; for this one, connect again and approve a single connection."

// withoutSchema tells a package token from a wrong name (R-STDIO-6).
func withoutSchema(refused *rs.Error, err error) *tool.Explained {
	var again *rs.Error
	if refused == nil || !errors.As(err, &again) || refused.Status != http.StatusNotFound || again.Status != http.StatusNotFound {
		return nil
	}
	return &tool.Explained{Hint: packageHint}
}

// conclude says all that was found, and the corrected call when all of it is certain.
func (c call) conclude(found []finding) *tool.Explained {
	if len(found) == 0 {
		return nil
	}
	first := found[0]
	explained := &tool.Explained{Param: first.param, DidYouMean: first.meant, Accepted: first.accepted}
	var says []string
	instead, isCertain := c.given, true
	for _, each := range found {
		says = append(says, each.says)
		if isCertain = isCertain && each.mended != nil; isCertain {
			instead = each.mended(instead)
		}
	}
	explained.Hint = strings.Join(says, " ")
	if isCertain {
		explained.Next = c.with(instead)
	}
	return explained
}

// with is the call with other arguments, as continuations are written.
func (c call) with(instead rawjson.Object) json.RawMessage {
	return rawjson.Array([]json.RawMessage{c.call(instead)})
}

// call is one continuation: the call with other arguments. An argument without a value is left out.
func (c call) call(instead rawjson.Object) json.RawMessage {
	arguments := slices.Clone(c.given)
	for _, member := range instead {
		arguments = arguments.With(member.Name, eachOnce(member.Value))
	}
	arguments = slices.DeleteFunc(arguments, func(m rawjson.Member) bool { return m.Value == nil })
	return rawjson.Object{rawjson.String("tool", c.Name), rawjson.Raw("arguments", arguments.Encode())}.Encode()
}

// eachOnce is a list without what stands in it already, as a name does that was meant by another; any other value as it is.
func eachOnce(value json.RawMessage) json.RawMessage {
	items, isList := rawjson.Elements(value)
	if !isList {
		return value
	}
	var once []json.RawMessage
	for _, item := range items {
		if !slices.ContainsFunc(once, func(other json.RawMessage) bool { return bytes.Equal(item, other) }) {
			once = append(once, item)
		}
	}
	return rawjson.Array(once)
}
