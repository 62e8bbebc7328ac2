package page

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const iconType = "image/svg+xml"

// Icon is the value of serverInfo.icons[] for a server at a public origin (R-HOST-6). It names the short
// URL, since clients are sent it with every result.
func Icon(origin string) mcp.Icon {
	return mcp.Icon{Source: newAddresses(origin).Icon(), MIMEType: iconType, Sizes: []string{"any"}}
}

// icon may be shown by the pages of others, since hosts list servers with their icons.
func icon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	send(w, r, document{contentType: iconType, caching: oneDay, body: asset("icon.svg")})
}
