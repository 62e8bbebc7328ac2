package host

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/page"
)

// identifyServer adds the icon to what the server says of itself (R-HOST-6). The SDK's server has one name
// and icon for all of its clients; the icon's URL begins with the origin that each one sees. So the
// server has none, and each answer gets its own: initialize in serverInfo, and since revision 2026-07-28
// every result in _meta; that of a call is written with it (toolCall).
func identifyServer(self mcp.Implementation) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, request)
			if err != nil {
				return result, err
			}
			info := shownAt(requestOf(ctx).origin, self)
			if initialized, ok := result.(*mcp.InitializeResult); ok {
				shown := *initialized
				shown.ServerInfo = &info
				return &shown, nil
			}
			if slices.Contains(identified, method) && isNewRevision(request) {
				meta := result.GetMeta()
				if meta == nil {
					meta = make(map[string]any, 1)
				}
				meta[mcp.MetaKeyServerInfo] = &info
				result.SetMeta(meta)
			}
			return result, nil
		}
	}
}

// shownAt is who answers, to a client that sees the server at an origin.
func shownAt(origin string, self mcp.Implementation) mcp.Implementation {
	self.Icons = []mcp.Icon{page.Icon(origin)}
	return self
}

// identified are the methods whose results say who answers: the SDK's empty results have no place for it.
var identified = []string{"server/discover", "tools/list", "resources/list", "resources/templates/list", methodReadResource, "prompts/list"}

// isNewRevision reports whether a request is of 2026-07-28 or later. Such a request names its revision itself; an older one
// may be named too, and changes nothing.
func isNewRevision(request mcp.Request) bool {
	params := request.GetParams()
	if params == nil {
		return false
	}
	revision, _ := params.GetMeta()[mcp.MetaKeyProtocolVersion].(string)
	return revision >= newestRevision
}
