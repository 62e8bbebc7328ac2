package page

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/webpage"
)

// isPublic reports whether clients on the internet may reach an origin: HTTPS and not a private host.
func isPublic(origin string) bool {
	parsed, err := url.Parse(origin)
	if err != nil || parsed.Scheme != "https" {
		return false
	}
	host := parsed.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsGlobalUnicast() && !ip.IsPrivate()
	}
	return strings.Contains(host, ".") && !address.MayBeLoopback(host)
}

// clientName is the server's name in clients. It is fixed, because clients allow few characters.
const clientName = "pdpp"

// values returns the values for assets at an escaped origin. Commands are complete shell lines without a token.
func (p pages) values(origin string) map[string]any {
	return map[string]any{
		"name":    p.options.Name,
		"release": strings.TrimSpace(p.options.Name + " " + p.options.Version),

		"client_name": clientName,

		"index":        origin + indexPath,
		"mcp_url":      origin + auth.MCPPath,
		"connect":      origin + ConnectPath,
		"llms":         origin + llmsPath,
		"metadata":     origin + auth.ResourceMetadataPath,
		"mcp_metadata": origin + auth.MCPMetadataPath,
		"card":         origin + cardPath,
		"catalog":      origin + catalogPath,
		"icon":         origin + auth.IconPath,

		"claude_code":         "claude mcp add --transport http " + clientName + " " + commandline.Word(origin+auth.MCPPath),
		"claude_code_sign_in": "claude mcp login " + clientName,
		"codex":               "codex mcp add " + clientName + " --url " + commandline.Word(origin+auth.MCPPath),
		"codex_sign_in":       "codex mcp login " + clientName,
		"command_line":        commandline.Connect(cmp.Or(escapeURL(p.options.Provider), origin), ""),
	}
}

// top returns the beginning of a page, with further markup for its head.
func (p pages) top(title, further string) markup {
	return markup(webpage.TopLinked(title, p.options.Name, stylePath, auth.IconPath, further))
}

// escapeURL percent-encodes every byte that an http origin cannot contain, so that the result is safe in HTML, JSON, plain text, headers and
// shells. It removes a slash at the end.
func escapeURL(text string) string {
	var escaped strings.Builder
	for _, octet := range []byte(strings.TrimRight(text, "/")) {
		if 'a' <= octet && octet <= 'z' || 'A' <= octet && octet <= 'Z' || '0' <= octet && octet <= '9' ||
			strings.IndexByte("-._~:/[]%", octet) >= 0 {
			escaped.WriteByte(octet)
			continue
		}
		fmt.Fprintf(&escaped, "%%%02X", octet)
	}
	return escaped.String()
}
