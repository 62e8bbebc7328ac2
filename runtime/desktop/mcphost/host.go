// Package mcphost changes the configuration of MCP hosts: where each keeps it, how it names a server, and how to add
// one without touching anything else. The setup command writes with it, and doctor reads.
package mcphost

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Host is a program that starts or dials MCP servers.
type Host struct {
	Name    string // as the command line calls it, such as claude-code
	Title   string // for people
	Program string // its program on the PATH; may be empty
	SignIn  string // how to sign in to a hosted server; empty: the file cannot name a hosted server

	base          func(Machine) string // the folder of file
	file          string               // the user's configuration
	folderFile    string               // configuration of a folder, relative to it; may be empty
	installFolder func(Machine) string // a folder that its first run creates; nil: the folder of the file
	skills        string               // folder of the user's Agent Skills, in installFolder, or in the home directory without one; may be empty
	format        format
	section       string // the object in the file with all servers
	settings      func(Server) []setting
}

// Hosts returns the known hosts in a fixed order.
func Hosts() []Host {
	return []Host{
		{
			Name: "claude-code", Program: "claude", Title: "Claude Code", SignIn: "run /mcp in Claude Code",
			base: func(m Machine) string { return m.folder("CLAUDE_CONFIG_DIR", "") }, file: ".claude.json", folderFile: ".mcp.json",
			installFolder: func(m Machine) string { return m.folder("CLAUDE_CONFIG_DIR", ".claude") }, skills: "skills",
			format: jsonFormat{}, section: "mcpServers", settings: typed,
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop",
			base: Machine.applicationData, file: "Claude/claude_desktop_config.json",
			format: jsonFormat{}, section: "mcpServers", settings: plain,
		},
		{
			Name: "codex", Program: "codex", Title: "Codex", SignIn: "run codex mcp login, with the server's name",
			base: func(m Machine) string { return m.folder("CODEX_HOME", ".codex") }, file: "config.toml", folderFile: ".codex/config.toml",
			format: tomlFormat{}, section: "mcp_servers", settings: plain, skills: ".agents/skills",
		},
		{
			Name: "cursor", Program: "cursor", Title: "Cursor", SignIn: "choose Connect next to the server in Cursor's MCP settings",
			base: home, file: ".cursor/mcp.json", folderFile: ".cursor/mcp.json",
			format: jsonFormat{comments: true}, section: "mcpServers", settings: untyped, skills: ".cursor/skills",
		},
		{
			Name: "vscode", Program: "code", Title: "VS Code", SignIn: "run MCP: List Servers in VS Code and start the server",
			base: Machine.applicationData, file: "Code/User/mcp.json", folderFile: ".vscode/mcp.json",
			format: jsonFormat{comments: true}, section: "servers", settings: typed, skills: ".agents/skills",
		},
		{
			Name: "gemini", Program: "gemini", Title: "Gemini CLI", SignIn: "run /mcp auth in Gemini CLI, with the server's name",
			base: home, file: ".gemini/settings.json", folderFile: ".gemini/settings.json",
			format: jsonFormat{comments: true}, section: "mcpServers", settings: gemini, skills: ".agents/skills",
		},
	}
}

// Find returns the host with a name.
func Find(name string) (Host, bool) {
	for _, host := range Hosts() {
		if host.Name == name {
			return host, true
		}
	}
	return Host{}, false
}

// Path returns the file of the user's configuration. It need not exist.
func (h Host) Path(m Machine) string { return filepath.Join(h.base(m), filepath.FromSlash(h.file)) }

// Installed reports whether the host has files on the machine.
func (h Host) Installed(m Machine) bool {
	installFolder := filepath.Dir(h.Path(m))
	if h.installFolder != nil {
		installFolder = h.installFolder(m)
	}
	_, fileErr := os.Stat(h.Path(m))
	_, folderErr := os.Stat(installFolder)
	return fileErr == nil || folderErr == nil
}

// Remote reports whether the host's file can name a hosted server. Claude Desktop names hosted servers in the user's
// account instead.
func (h Host) Remote() bool { return h.SignIn != "" }

// HasSkills reports whether the host has a folder for the user's Agent Skills.
func (h Host) HasSkills() bool { return h.skills != "" }

// Machine determines the paths of the hosts' files.
type Machine struct {
	System string // as in runtime.GOOS
	Home   string // the user's home directory, absolute
	// Getenv returns a variable that moves a host's files, such as CODEX_HOME. It may be nil.
	Getenv func(name string) string
}

// ThisMachine returns the machine of this process, or a *credential.Error of class Configuration.
func ThisMachine() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, credential.Misconfigured("there is no home directory, so no host's configuration can be found",
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

// applicationData returns the settings folder of desktop applications.
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

func home(m Machine) string { return m.Home }

// folder returns the folder in a variable, otherwise the one of that name in the home directory.
func (m Machine) folder(variable, name string) string {
	if moved := m.variable(variable); filepath.IsAbs(moved) {
		return moved
	}
	return filepath.Join(m.Home, name)
}
