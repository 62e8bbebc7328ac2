// Package mcphost knows the MCP hosts that people run: where each keeps its configuration, how it spells
// a server, and how to add one without touching anything else in the file.
package mcphost

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// Host is a program that starts or dials MCP servers.
type Host struct {
	Name    string // as the command line calls it, such as claude-code
	Title   string // as people call it
	Program string // that it puts on the PATH; empty: none
	SignIn  string // how a person signs in to a hosted server there; empty when it cannot be configured by file

	file       func(Machine) string // its configuration
	folderFile string               // the one for a folder, below it; empty: there is none
	traces     func(Machine) string // a folder that it makes when it first runs; nil: that of the file
	format     format
	spell      func(Server) []setting
}

// Hosts gives the hosts that are known, always in the same order.
func Hosts() []Host {
	return []Host{
		{
			Name: "claude-code", Program: "claude", Title: "Claude Code", SignIn: "run /mcp in Claude Code",
			file: claudeCodeFile, folderFile: ".mcp.json",
			traces: func(m Machine) string { return m.folder("CLAUDE_CONFIG_DIR", ".claude") },
			format: jsonFormat{section: "mcpServers", own: typedNames}, spell: typed,
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop",
			file: func(m Machine) string {
				return filepath.Join(m.applicationData(), "Claude", "claude_desktop_config.json")
			},
			format: jsonFormat{section: "mcpServers", own: plainNames}, spell: plain,
		},
		{
			Name: "codex", Program: "codex", Title: "Codex", SignIn: "run codex mcp login, with the server's name",
			file: func(m Machine) string { return filepath.Join(m.folder("CODEX_HOME", ".codex"), "config.toml") }, folderFile: ".codex/config.toml",
			format: tomlFormat{section: "mcp_servers", own: plainNames}, spell: plain,
		},
		{
			Name: "cursor", Program: "cursor", Title: "Cursor", SignIn: "choose Connect beside the server in Cursor's MCP settings",
			file: func(m Machine) string { return filepath.Join(m.Home, ".cursor", "mcp.json") }, folderFile: ".cursor/mcp.json",
			format: jsonFormat{section: "mcpServers", own: typedNames, comments: true}, spell: plain,
		},
		{
			Name: "vscode", Program: "code", Title: "VS Code", SignIn: "run MCP: List Servers in VS Code and start the server",
			file: func(m Machine) string { return filepath.Join(m.applicationData(), "Code", "User", "mcp.json") }, folderFile: ".vscode/mcp.json",
			format: jsonFormat{section: "servers", own: typedNames, comments: true}, spell: typed,
		},
		{
			Name: "gemini", Program: "gemini", Title: "Gemini CLI", SignIn: "run /mcp auth in Gemini CLI, with the server's name",
			file: func(m Machine) string { return filepath.Join(m.Home, ".gemini", "settings.json") }, folderFile: ".gemini/settings.json",
			format: jsonFormat{section: "mcpServers", own: append(typedNames, "httpUrl"), comments: true}, spell: gemini,
		},
	}
}

// Find gives a host by its name.
func Find(name string) (Host, bool) {
	for _, host := range Hosts() {
		if host.Name == name {
			return host, true
		}
	}
	return Host{}, false
}

// Path is the file of the user's own configuration, whether or not it exists.
func (h Host) Path(machine Machine) string { return h.file(machine) }

// Installed reports whether the host has left traces on the machine.
func (h Host) Installed(m Machine) bool {
	traces := filepath.Dir(h.file(m))
	if h.traces != nil {
		traces = h.traces(m)
	}
	for _, path := range []string{h.file(m), traces} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// Remote reports whether the host's file can name a hosted server. Claude Desktop takes those as connectors,
// which live with the account.
func (h Host) Remote() bool { return h.SignIn != "" }

// claudeCodeFile: the file lies beside its folder, except in a folder that CLAUDE_CONFIG_DIR names.
func claudeCodeFile(m Machine) string {
	if moved := m.variable("CLAUDE_CONFIG_DIR"); filepath.IsAbs(moved) {
		return filepath.Join(moved, ".claude.json")
	}
	return filepath.Join(m.Home, ".claude.json")
}

// Machine is where hosts keep their files. Tests make one of a folder of their own.
type Machine struct {
	System string // as runtime.GOOS says it
	Home   string // the user's home directory, absolute
	// Getenv gives a variable by which a host lets its files be moved, such as CODEX_HOME; nil for none.
	Getenv func(name string) string
}

// ThisMachine is the machine of this process. Its error is a *credential.Error of class Configuration.
func ThisMachine() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, credential.Misconfigured(
			"there is no home directory, so no host's configuration can be found",
			"set HOME, or pass --print and put the configuration in place by hand", err)
	}
	return Machine{System: runtime.GOOS, Home: home, Getenv: os.Getenv}, nil
}

func (m Machine) variable(name string) string {
	if m.Getenv == nil {
		return ""
	}
	return m.Getenv(name)
}

// applicationData is the folder in which desktop applications keep their settings.
func (m Machine) applicationData() string {
	switch m.System {
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	case "windows":
		if roaming := m.variable("APPDATA"); roaming != "" {
			return roaming
		}
		return filepath.Join(m.Home, "AppData", "Roaming")
	}
	if configured := m.variable("XDG_CONFIG_HOME"); filepath.IsAbs(configured) {
		return configured
	}
	return filepath.Join(m.Home, ".config")
}

// folder is below the home directory, unless a variable names another place.
func (m Machine) folder(variable, name string) string {
	if moved := m.variable(variable); filepath.IsAbs(moved) {
		return moved
	}
	return filepath.Join(m.Home, name)
}
