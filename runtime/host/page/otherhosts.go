package page

import (
	"html"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

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

// systems are the values of runtime.GOOS with their titles.
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
