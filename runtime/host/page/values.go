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

// isPublic reports whether a client on the internet may reach an origin: HTTPS, and not a host that
// only this machine or this network knows.
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

// clientName is what a client calls this server. It is fixed, since clients allow few characters in it.
const clientName = "pdpp"

// values are what pages show of the server at an escaped origin, by the names that stand in the assets. The commands are lines for
// a shell, each complete in itself. None of them holds a token: the client signs in by itself.
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

// top is the markup above a page, with further markup for its head.
func (p pages) top(title, further string) markup {
	return markup(webpage.TopLinked(title, p.options.Name, stylePath, auth.IconPath, further))
}

// escapeURL percent-encodes every byte that an http origin cannot hold, so that the result is inert in
// HTML, JSON, plain text, a header and a shell. A URL that is right comes back as it was, without the
// slash at its end.
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
