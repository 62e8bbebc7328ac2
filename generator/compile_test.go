package generator_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

// overlay writes an overlay for the go command that replaces the generated files of folder gen with these, and may add
// packages below it. Paths are relative to the root of the module.
func overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{}
	for _, pattern := range []string{"gen/*_gen.go", "gen/*_test.go", "gen/schema/*.json"} {
		present, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range present {
			replaced[name] = ""
		}
	}
	folder := t.TempDir()
	for name, text := range files {
		if !strings.HasPrefix(name, "gen/") {
			continue
		}
		golden.Put(t, folder, name, text)
		replaced[filepath.Join(root, name)] = filepath.Join(folder, name)
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	description := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(description, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return description
}

// goCommand runs the go command on a package with an overlay.
func goCommand(t *testing.T, overlay, packageName string, arguments ...string) {
	t.Helper()
	arguments = append([]string{arguments[0], "-overlay", overlay}, arguments[1:]...)
	command := exec.CommandContext(t.Context(), "go", append(arguments, packageName)...)
	command.Dir = ".."
	if printed, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", arguments[0], err, printed)
	}
}

// The Go of every case of testdata compiles. Each case is a separate package.
func TestGeneratedGoCompiles(t *testing.T) {
	timetest.WithoutRace(t)
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	packages, files := 0, map[string]string{}
	for _, name := range cases {
		archive, base := parse(t, name), parse(t, "testdata/base.txtar")
		written := generated(append(base.Files, archive.Files...))
		if written["error.txt"] != "" {
			continue
		}
		packages++
		for file, text := range written {
			if below, isGen := strings.CutPrefix(file, "gen/"); isGen {
				files["gen/"+strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+below] = text
			}
		}
	}
	if packages < 5 {
		t.Errorf("%d cases were compiled, want 5 or more", packages)
	}
	goCommand(t, overlay(t, files), "./gen/...", "build")
}
