package mcphost

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// A server of the same name is found in the host's files for that folder, and in no other folder.
func TestServersOfAFolder(t *testing.T) {
	home, folder := t.TempDir(), t.TempDir()
	machine := Machine{System: "linux", Home: home}
	put := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const servers = `{"pdpp":{"command":"other"}}`
	for host, file := range map[string]string{
		"claude-code": ".mcp.json", "cursor": ".cursor/mcp.json",
		"gemini": ".gemini/settings.json",
	} {
		put(filepath.Join(folder, file), `{"mcpServers":`+servers+`}`)
		found, _ := Find(host)
		for name, want := range map[string][]string{"pdpp": {filepath.Join(folder, file)}, "another": nil} {
			if got, err := found.InFolder(machine, folder, name); err != nil || !cmp.Equal(want, got) {
				t.Errorf("%s has %s in %q, %v, want %q", host, name, got, err, want)
			}
		}
		if got, err := found.InFolder(machine, t.TempDir(), "pdpp"); err != nil || got != nil {
			t.Errorf("%s has it in another folder too: %q, %v", host, got, err)
		}
		if got, err := found.InFolder(machine, home, "pdpp"); err != nil || got != nil {
			t.Errorf("%s has it in the home folder: %q, %v", host, got, err)
		}
	}
	put(filepath.Join(folder, ".vscode/mcp.json"), `{"servers":`+servers+`}`)
	put(filepath.Join(folder, ".codex/config.toml"), "[mcp_servers.pdpp]\ncommand = \"other\"\n")
	put(filepath.Join(home, ".claude.json"), `{"mcpServers":`+servers+`,"projects":{"`+filepath.ToSlash(folder)+
		`":{"mcpServers":`+servers+`}}}`)
	for host, want := range map[string]int{"vscode": 1, "codex": 1, "claude-code": 2, "claude-desktop": 0} {
		found, _ := Find(host)
		if got, err := found.InFolder(machine, folder, "pdpp"); err != nil || len(got) != want {
			t.Errorf("%s has it in %q, %v, want %d files", host, got, err, want)
		}
	}
	put(filepath.Join(folder, ".mcp.json"), `{"mcpServers"`)
	claude, _ := Find("claude-code")
	if _, err := claude.InFolder(machine, folder, "pdpp"); err == nil {
		t.Error("no error for a broken file")
	} else if _, ok := err.(*credential.Error); !ok {
		t.Errorf("a broken file gives %v", err)
	}
}
