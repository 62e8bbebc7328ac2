package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// The generated files in the repository match the specs.
func TestCheckedInFilesAreInStep(t *testing.T) {
	var printed bytes.Buffer
	if code := run([]string{"-check", "-root", "../.."}, &printed, &printed); code != 0 {
		t.Errorf("exit code %d: %s", code, printed.String())
	}
}

func TestGenerateThenCheck(t *testing.T) {
	root := copied(t)
	if code, printed := generateIn(root, "-check"); code != 1 || !strings.Contains(printed, "gen/search_gen.go: missing") {
		t.Errorf("check of an empty folder: exit code %d, printed %q", code, printed)
	}
	if code, printed := generateIn(root); code != 0 || !strings.Contains(printed, "wrote gen/search_gen.go\n") ||
		strings.Contains(printed, "missing") {
		t.Fatalf("generate: exit code %d, printed %q", code, printed)
	}
	if code, printed := generateIn(root, "-check"); code != 0 || printed != "" {
		t.Errorf("check: exit code %d, printed %q; want 0 and nothing", code, printed)
	}
	golden.Put(t, root, "gen/search_gen.go", "edited\n")
	golden.Put(t, root, "docs/tools/gone.md", "of a tool that is gone\n")
	code, printed := generateIn(root, "-check")
	for _, want := range []string{
		"gen/search_gen.go:1: differs\n  have: edited\n", "docs/tools/gone.md: stale\n",
		"run go generate ./gen",
	} {
		if code != 1 || !strings.Contains(printed, want) {
			t.Errorf("check: exit code %d, printed %q; want 1 and %q", code, printed, want)
		}
	}
	if code, printed := generateIn(root); code != 0 || !strings.Contains(printed, "removed docs/tools/gone.md\n") {
		t.Errorf("generate: exit code %d, printed %q", code, printed)
	}
}

// A wrong spec changes no file, even if others are out of date.
func TestInvalidSpecChangesNoFile(t *testing.T) {
	root := copied(t)
	if code, printed := generateIn(root); code != 0 {
		t.Fatalf("generate: exit code %d, printed %q", code, printed)
	}
	golden.Put(t, root, "gen/search_gen.go", "edited\n")
	spec := filepath.Join(root, "toolspec/tools/fetch.yaml")
	text, err := os.ReadFile(spec)
	if err != nil {
		t.Fatal(err)
	}
	golden.Put(t, root, "toolspec/tools/fetch.yaml",
		strings.Replace(string(text), "budget: {bytes: 1500}", "budget: {bytes: 17}", 1))
	before := golden.Tree(t, root)
	code, printed := generateIn(root)
	if code != 1 || !strings.Contains(printed, "over its budget of 17") {
		t.Errorf("exit code %d, printed %q; want 1 and the budget", code, printed)
	}
	if diff := cmp.Diff(before, golden.Tree(t, root)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

func TestUnknownFlagIsUsage(t *testing.T) {
	if code, _ := generateIn(t.TempDir(), "-nonsense"); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
}

func generateIn(root string, arguments ...string) (int, string) {
	var printed bytes.Buffer
	code := run(append(arguments, "-root", root), &printed, &printed)
	return code, printed.String()
}

// copied returns a new folder with the specs and the README of the project.
func copied(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "toolspec"), os.DirFS("../../toolspec")); err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	golden.Put(t, root, "README.md", string(readme))
	return root
}
