//go:build packages

package check_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// registry is the module of the MCP registry. Each release has the schemas that the registry accepts.
const registry = "github.com/modelcontextprotocol/registry@v1.8.7"

// schemaOfServerEntry finds the schema that server.json names by its date.
func schemaOfServerEntry(t *testing.T, entry string) string {
	t.Helper()
	content, err := os.ReadFile(entry)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Schema string `json:"$schema"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	date := filepath.Base(filepath.Dir(document.Schema))
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(run(t, ".", "go", "mod", "download", "-json", registry)), &module); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(module.Dir, "internal", "validators", "schemas", date+".json")
}

func TestServerEntryIsValid(t *testing.T) {
	entry := released(t, "server.json")
	schema := schemaOfServerEntry(t, entry)
	run(t, ".", "node", "schema.mjs", schema, entry)
	refused(t, entry, "identifier",
		func(wrong string) (string, error) { return try(t, ".", "node", "schema.mjs", schema, wrong) })
}

// The npm package must name the entry, which the registry checks before it publishes one.
func TestServerEntryIsNamedByThePackage(t *testing.T) {
	var entry struct{ Name, Version string }
	var launcher struct {
		Name    string `json:"mcpName"`
		Version string
	}
	read(t, released(t, "server.json"), &entry)
	read(t, released(t, "npm/pdpp-mcp/package.json"), &launcher)
	if entry.Name != launcher.Name || entry.Version != launcher.Version || entry.Version == "0.0.0" {
		t.Errorf("the entry is %+v, the package %+v", entry, launcher)
	}
}

func TestBundleIsValid(t *testing.T) {
	folder := t.TempDir()
	run(t, ".", "npx", "--offline", "--no", "mcpb", "unpack", released(t, "pdpp-mcp_*_linux_amd64.mcpb"), folder)
	manifest := filepath.Join(folder, "manifest.json")
	run(t, ".", "npx", "--offline", "--no", "mcpb", "validate", manifest)
	refused(t, manifest, "entry_point", func(wrong string) (string, error) {
		return try(t, ".", "npx", "--offline", "--no", "mcpb", "validate", wrong)
	})
	packed, err := os.ReadFile(filepath.Join(folder, "server", "pdpp-mcp"))
	if err != nil {
		t.Fatal(err)
	}
	built, err := os.ReadFile(released(t, "binaries/linux_amd64/pdpp-mcp"))
	if err != nil || !bytes.Equal(packed, built) {
		t.Errorf("the bundle holds another binary than the release: %v", err)
	}
}

// systemd accepts the unit and rates its exposure low.
func TestSystemdUnitIsHardened(t *testing.T) {
	unit := filepath.Join(t.TempDir(), "pdpp-mcp.service")
	content, err := os.ReadFile("../systemd/pdpp-mcp.service")
	if err != nil {
		t.Fatal(err)
	}
	content = bytes.ReplaceAll(content, []byte("/usr/local/bin/pdpp-mcp"), []byte(here(t)))
	if err := os.WriteFile(unit, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if printed := run(t, ".", "systemd-analyze", "verify", unit); printed != "" {
		t.Errorf("systemd says:\n%s", printed)
	}
	// The threshold is the exposure from 0 to 100; 15 is shown as 1.5.
	run(t, ".", "systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", unit)
}

// refused expects that a document is invalid once a member is renamed.
func refused(t *testing.T, path, member string, validate func(path string) (string, error)) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), filepath.Base(path))
	changed := bytes.ReplaceAll(content, []byte(member), []byte("x"+member))
	if bytes.Equal(content, changed) {
		t.Fatalf("%s has no %s", path, member)
	}
	if err := os.WriteFile(wrong, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if printed, err := validate(wrong); err == nil {
		t.Errorf("%s with x%s is valid:\n%s", filepath.Base(path), member, printed)
	}
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}
