package page

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
)

// addresses are the URLs of one server as a client sees them.
type addresses struct {
	origin string // escaped, without a slash at its end
}

func newAddresses(origin string) addresses { return addresses{escapeURL(origin)} }

func (p *Pages) addresses(r *http.Request) addresses { return newAddresses(p.options.Origin(r)) }

func (a addresses) mcp() string         { return a.origin + auth.MCPPath }
func (a addresses) connect() string     { return a.origin + connectPath }
func (a addresses) llms() string        { return a.origin + llmsPath }
func (a addresses) icon() string        { return a.origin + auth.IconPath }
func (a addresses) metadata() string    { return a.origin + auth.ResourceMetadataPath }
func (a addresses) mcpMetadata() string { return a.origin + auth.MCPMetadataPath }

// isPublic reports whether a client on the internet may reach the origin: HTTPS, and not a host that
// only this machine or this network knows.
func (a addresses) isPublic() bool {
	parsed, err := url.Parse(a.origin)
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

// values are what pages show of the server, by the names that stand in the assets. The commands are lines for
// a shell, each complete in itself. None of them holds a token: the client signs in by itself.
func (p *Pages) values(at addresses) map[string]any {
	return map[string]any{
		"head":  markup(asset("head.html")),
		"brand": fill("brand.html", map[string]any{"name": p.options.Name}, html.EscapeString),

		"name":    p.options.Name,
		"release": strings.TrimSpace(p.options.Name + " " + p.options.Version),

		"index":        at.origin + indexPath,
		"mcp_url":      at.mcp(),
		"connect":      at.connect(),
		"llms":         at.llms(),
		"metadata":     at.metadata(),
		"mcp_metadata": at.mcpMetadata(),

		"claude_code":         "claude mcp add --transport http " + clientName + " " + shellWord(at.mcp()),
		"claude_code_sign_in": "claude mcp login " + clientName,
		"codex":               "codex mcp add " + clientName + " --url " + shellWord(at.mcp()),
		"codex_sign_in":       "codex mcp login " + clientName,
		"command_line":        "pdpp-mcp connect " + shellWord(cmp.Or(escapeURL(p.options.Provider), at.origin)),
	}
}

// shellWord quotes what a shell would read as a pattern: the brackets of an IPv6 address. Nothing else
// in an escaped URL has a meaning to a shell, and an unquoted one works in every shell.
func shellWord(escapedURL string) string {
	if strings.ContainsAny(escapedURL, "[]") {
		return "'" + escapedURL + "'"
	}
	return escapedURL
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
