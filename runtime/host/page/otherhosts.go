package page

import (
	"html"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
)

// commanded are the hosts that the page has a command for (R-HOST-7). Those of the others that can dial a server get its
// configuration; one that cannot is of an account, and stands on the page with the chat apps.
var commanded = []string{"claude-code", "codex"}

// exampleURL is a URL of the form that every host takes. The one of the request stands in its place afterwards, also where it is
// one that a host refuses: the page warns of that.
const exampleURL = "https://mcp.invalid/mcp"

// otherHosts is the markup of the steps for the hosts that pdpp-mcp setup knows, with an escaped URL of the MCP endpoint.
func otherHosts(escapedURL string) markup {
	var steps markup
	for _, host := range mcphost.Hosts() {
		if !host.Remote() || slices.Contains(commanded, host.Name) {
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

// systems are where hosts run, as runtime.GOOS and as people name them.
var systems = []struct{ name, title string }{{"linux", "Linux"}, {"darwin", "macOS"}, {"windows", "Windows"}}

// files names a host's own configuration: once when it is the same everywhere, else for each system.
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
