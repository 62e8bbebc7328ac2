package mcphost

import (
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Server is a program to start or a URL to connect to. It has no token, so that none gets into a configuration.
type Server struct {
	Name      string   // key of the entry: 1 to 64 letters, digits, - and _
	Command   string   // absolute path of the program; empty for a hosted server
	Arguments []string // of the program
	URL       string   // of the MCP endpoint; empty for a local server
}

var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check returns a *credential.Error of class Usage if the host cannot use the server.
func (h Host) check(server Server) error {
	if !serverName.MatchString(server.Name) {
		return credential.Misused("the server name must be 1 to 64 letters, digits, - or _", "pass --name such as pdpp", nil)
	}
	if server.URL == "" {
		return nil
	}
	if err := checkURL(server.URL); err != nil || h.Remote() {
		return err
	}
	return credential.Misused(h.Title+" does not take a hosted server from its file",
		"add the URL in its settings, under Connectors, or set up this binary with --provider-url", nil)
}

// checkURL does not repeat the value, which may contain a password.
func checkURL(raw string) error {
	const step = "pass --url such as https://data.example/mcp"
	parsed, err := address.ParseBase(raw)
	switch {
	case err != nil:
		return credential.Misused("--url "+err.Error(), step, nil)
	case parsed.Scheme == "http" && !address.IsLoopback(parsed.Hostname()):
		return credential.Misused("--url must begin with https://; plain http is for this machine only", step, nil)
	case strings.Trim(parsed.Path, "/") == "":
		return credential.Misused("--url must name the MCP endpoint, not only its origin", step, nil)
	}
	return nil
}

// setting is one member of a server's entry that setup sets or removes. Other members belong to the user.
type setting struct {
	name  string
	value any // a string or an []any of strings, as JSON decodes them; nil: the member is removed
}

func plain(server Server) []setting {
	if server.URL != "" {
		return []setting{{"url", server.URL}, {"command", nil}, {"args", nil}}
	}
	arguments := []any{}
	for _, each := range server.Arguments {
		arguments = append(arguments, each)
	}
	return []setting{{"command", server.Command}, {"args", arguments}, {"url", nil}}
}

func untyped(server Server) []setting { return append(plain(server), setting{"type", nil}) }

func typed(server Server) []setting {
	return append([]setting{transport(server, "stdio")}, plain(server)...)
}

// gemini returns the settings for Gemini CLI, which requires the transport of hosted servers only. It used httpUrl
// before.
func gemini(server Server) []setting {
	return append(plain(server), transport(server, nil), setting{"httpUrl", nil})
}

func transport(server Server, local any) setting {
	if server.URL != "" {
		return setting{"type", "http"}
	}
	return setting{"type", local}
}
