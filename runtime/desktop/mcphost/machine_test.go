package mcphost

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The path of each host's user configuration, as its documentation says.
func TestPathsOfEachSystem(t *testing.T) {
	home := filepath.Join("home", "me")
	want := map[string]map[string]string{
		"linux": {
			"claude-code": ".claude.json", "claude-desktop": ".config/Claude/claude_desktop_config.json",
			"codex":  ".codex/config.toml",
			"cursor": ".cursor/mcp.json", "vscode": ".config/Code/User/mcp.json", "gemini": ".gemini/settings.json",
		},
		"darwin": {
			"claude-code": ".claude.json", "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
			"codex":  ".codex/config.toml",
			"cursor": ".cursor/mcp.json", "vscode": "Library/Application Support/Code/User/mcp.json",
			"gemini": ".gemini/settings.json",
		},
		"windows": {
			"claude-code": ".claude.json", "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
			"codex":  ".codex/config.toml",
			"cursor": ".cursor/mcp.json", "vscode": "AppData/Roaming/Code/User/mcp.json", "gemini": ".gemini/settings.json",
		},
	}
	for system, paths := range want {
		found := map[string]string{}
		for _, host := range Hosts() {
			relative, err := filepath.Rel(home, host.Path(Machine{System: system, Home: home}))
			if err != nil {
				t.Fatal(err)
			}
			found[host.Name] = filepath.ToSlash(relative)
		}
		if diff := cmp.Diff(paths, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", system, diff)
		}
	}
}

// The variables that move the files of hosts.
func TestVariablesMoveFiles(t *testing.T) {
	elsewhere := t.TempDir()
	for _, moved := range []struct{ host, system, variable, want string }{
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR", ".claude.json"},
		{"codex", "linux", "CODEX_HOME", "config.toml"},
		{"vscode", "linux", "XDG_CONFIG_HOME", "Code/User/mcp.json"},
		{"claude-desktop", "windows", "APPDATA", "Claude/claude_desktop_config.json"},
	} {
		host, _ := Find(moved.host)
		machine := Machine{System: moved.system, Home: "/home/me", Getenv: func(name string) string {
			return map[string]string{moved.variable: elsewhere}[name]
		}}
		if got, want := host.Path(machine), filepath.Join(elsewhere, filepath.FromSlash(moved.want)); got != want {
			t.Errorf("%s with %s: %s, want %s", moved.host, moved.variable, got, want)
		}
	}
}

func TestInstalledHostsAndTheirServers(t *testing.T) {
	machine := Machine{System: "linux", Home: t.TempDir()}
	for _, host := range Hosts() {
		if host.Installed(machine) {
			t.Errorf("%s is found in an empty home", host.Name)
		}
		if entries, err := host.Entries(machine); err != nil || len(entries) > 0 {
			t.Errorf("%s has %v in an empty home (%v)", host.Name, entries, err)
		}
	}
	contents := map[string]string{
		"codex": "[mcp_servers.b]\nurl = 'https://data.example/mcp'\n[mcp_servers.a]\ncommand = 'C:\\Tools\\PDPP-MCP.EXE'\n",
		"vscode": `{"servers": {"b": {"url": "https://data.example/mcp"}, /* mine */ "a": {"command": ` +
			`"C:\\Tools\\PDPP-MCP.EXE"},}}`,
		"gemini": `{"mcpServers": {"b": {"httpUrl": "https://data.example/mcp"}, "a": {"command": ` +
			`"C:\\Tools\\PDPP-MCP.EXE"}}}`,
	}
	want := []Entry{{Name: "a", Command: `C:\Tools\PDPP-MCP.EXE`}, {Name: "b", URL: "https://data.example/mcp"}}
	for name, content := range contents {
		host, _ := Find(name)
		place(t, host, machine, []byte(content))
		entries, err := host.Entries(machine)
		if diff := cmp.Diff(want, entries); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if !host.Installed(machine) || !entries[0].IsAdapter() || entries[1].IsAdapter() {
			t.Errorf("%s: installed %t, adapters %t %t", name, host.Installed(machine), entries[0].IsAdapter(),
				entries[1].IsAdapter())
		}
	}
	cursor, _ := Find("cursor")
	if err := os.MkdirAll(filepath.Dir(cursor.Path(machine)), 0o700); err != nil {
		t.Fatal(err)
	}
	if !cursor.Installed(machine) {
		t.Error("a folder is trace enough")
	}
	if _, found := Find("emacs"); found || slices.ContainsFunc(Hosts(), func(h Host) bool { return h.Title == "" }) {
		t.Error("a host that is not known was found, or one has no title")
	}
}
