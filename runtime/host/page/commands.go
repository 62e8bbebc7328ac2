package page

import "strings"

// clientName is what a client calls this server. It is fixed, since clients allow few characters in it.
const clientName = "pdpp"

// commands are lines for a shell, each complete in itself. None of them holds a token: the client signs
// in by itself.
type commands struct {
	ClaudeCode       string
	ClaudeCodeSignIn string
	Codex            string
	CodexSignIn      string
	CommandLine      string // the scoped sign-in of pdpp-mcp, without an MCP client
}

func newCommands(mcpURL, provider string) commands {
	return commands{
		ClaudeCode:       "claude mcp add --transport http " + clientName + " " + shellWord(mcpURL),
		ClaudeCodeSignIn: "claude mcp login " + clientName,
		Codex:            "codex mcp add " + clientName + " --url " + shellWord(mcpURL),
		CodexSignIn:      "codex mcp login " + clientName,
		CommandLine:      "pdpp-mcp connect " + shellWord(provider),
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
