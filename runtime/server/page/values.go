package page

import (
	"cmp"
	"fmt"
	"html"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/mcphost"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
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
func (o Options) values(origin string) map[string]any {
	return map[string]any{
		"name":    o.Name,
		"release": strings.TrimSpace(o.Name + " " + o.Version),

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
		"command_line":        commandline.Connect(cmp.Or(escapeURL(o.Provider), origin), ""),
	}
}

// top returns the beginning of a page, with further markup for its head.
func (o Options) top(title, further string) markup {
	return markup(webpage.TopLinked(title, o.Name, stylePath, auth.IconPath, further))
}

// escapeURL percent-encodes every byte that an http origin cannot contain, so that the result is safe in HTML, JSON,
// plain text, headers and shells. It removes a slash at the end.
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

// hostsWithCommand have a command on the page (R-HOST-7). For other hosts, the page shows a configuration.
var hostsWithCommand = []string{"claude-code", "codex"}

// exampleURL is valid for every host. The page replaces it with its own URL, and warns if a host would refuse that.
const exampleURL = "https://mcp.invalid/mcp"

// otherHosts returns the steps for the hosts of pdpp-mcp setup, with an escaped URL of the MCP endpoint.
func otherHosts(escapedURL string) markup {
	var steps markup
	for _, host := range mcphost.Hosts() {
		if !host.Remote() || slices.Contains(hostsWithCommand, host.Name) {
			continue
		}
		snippet, err := host.Snippet(mcphost.Server{Name: clientName, URL: exampleURL})
		if err != nil {
			panic(err) // name and URL are constants
		}
		text := strings.ReplaceAll(strings.TrimSpace(snippet), exampleURL, escapedURL)
		steps += fill("host.html", map[string]any{
			"title": host.Title, "files": files(host), "copy": copyable(host.Name, host.Title+" configuration", text), "sign_in": host.SignIn,
		}, html.EscapeString)
	}
	return steps
}

var systems = []struct{ name, title string }{{"linux", "Linux"}, {"darwin", "macOS"}, {"windows", "Windows"}}

// files returns the paths of a host's configuration, for each system if they differ.
func files(host mcphost.Host) markup {
	var paths, named []string
	for _, system := range systems {
		path := filepath.ToSlash(host.Path(mcphost.Machine{System: system.name, Home: "~"}))
		shown := "<code>" + html.EscapeString(path) + "</code>"
		if !slices.Contains(paths, shown) {
			paths = append(paths, shown)
		}
		named = append(named, shown+" ("+system.title+")")
	}
	if len(paths) == 1 {
		return markup(paths[0])
	}
	return markup(strings.Join(named, ", "))
}
