package mcphost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// PlanRemoval takes back what Plan added, in every host's format, and leaves everything else as it was. Subtables of
// the entry go with it.
func TestRemoval(t *testing.T) {
	const jsonc = "{\n  // mine\n  \"%s\": {\n    \"mail\": {\"command\": \"mail\"}\n  },\n  \"theme\": \"dark\"\n}\n"
	for _, host := range Hosts() {
		content := strings.ReplaceAll(jsonc, "%s", host.section)
		switch format := host.format.(type) {
		case tomlFormat:
			content = "model = \"o9\"\n\n[mcp_servers.mail] # mine\ncommand = \"mail\"\n"
		case jsonFormat:
			if !format.comments {
				content = strings.Replace(content, "  // mine\n", "", 1)
			}
		}
		machine := Machine{System: "linux", Home: t.TempDir()}
		write(t, host.Path(machine), content)
		apply := func(change *Change, err error) {
			t.Helper()
			if err == nil {
				_, err = change.Apply()
			}
			if err != nil {
				t.Fatalf("%s: %v", host.Name, err)
			}
		}
		apply(host.Plan(machine, Server{Name: "pdpp", Command: "/bin/pdpp-mcp", Arguments: []string{"stdio"}}))
		if host.Name == "codex" {
			added, _ := os.ReadFile(host.Path(machine))
			write(t, host.Path(machine), string(added)+"\n[mcp_servers.pdpp.env]\nA = \"b\"\n")
		}
		apply(host.PlanRemoval(machine, "pdpp"))
		if got, _ := os.ReadFile(host.Path(machine)); string(got) != content {
			t.Errorf("%s: after the removal the file is\n%s\nwant\n%s", host.Name, got, content)
		}
		if again, err := host.PlanRemoval(machine, "pdpp"); err != nil || !again.Empty() {
			t.Errorf("%s: a second removal changes the file: %v", host.Name, err)
		}
	}
}

// A missing file has nothing to remove, and a broken one is left as it is.
func TestRemovalFromOtherFiles(t *testing.T) {
	codex, _ := Find("codex")
	machine := Machine{System: "linux", Home: t.TempDir()}
	if change, err := codex.PlanRemoval(machine, "pdpp"); err != nil || change.Exists() || change.Diff() != "" {
		t.Errorf("of a missing file: %v", err)
	}
	for _, content := range []string{"[mcp_servers.pdpp", "mcp_servers.pdpp = {command = \"a\"}\n"} {
		write(t, codex.Path(machine), content)
		if _, err := codex.PlanRemoval(machine, "pdpp"); err == nil || !strings.Contains(err.Error(), "was left as it is") {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
