package generator_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
)

// overlay writes an overlay for the go command that replaces the generated files of folder gen with these. Paths are
// relative to the root of the module.
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
		stored := filepath.Join(folder, filepath.Base(name))
		if err := os.WriteFile(stored, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(root, name)] = stored
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

// goCommand runs the go command on package gen with an overlay.
func goCommand(t *testing.T, overlay string, arguments ...string) string {
	t.Helper()
	arguments = append([]string{arguments[0], "-overlay", overlay}, arguments[1:]...)
	command := exec.CommandContext(t.Context(), "go", append(arguments, "./gen")...)
	command.Dir = ".."
	printed, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", arguments[0], err, printed)
	}
	return string(printed)
}

// The Go of every case of testdata compiles and passes vet.
func TestGeneratedGoCompiles(t *testing.T) {
	timetest.WithoutRace(t)
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	compiled := 0
	for _, name := range cases {
		archive, base := parse(t, name), parse(t, "testdata/base.txtar")
		files := generated(append(base.Files, archive.Files...))
		if files["error.txt"] != "" {
			continue
		}
		compiled++
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			goCommand(t, overlay(t, files), "vet")
		})
	}
	if compiled < 5 {
		t.Errorf("%d cases were compiled, want 5 or more", compiled)
	}
}
