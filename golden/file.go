// Package golden compares results with reviewed files. This folder has the goldens of the whole project and their
// tests. Only tests import the package.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files as the results are")

// Updates reports whether -update is set, for tests that keep several goldens in one file.
func Updates() bool { return *update }

// File fails the test if the file at the path is missing or differs from the result, apart from random marks. With
// -update it writes the file first.
func File[Content ~string | ~[]byte](t testing.TB, path string, got Content) {
	t.Helper()
	result := WithoutMarks(string(got))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(result), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: %s", err, updateCommand(t))
	}
	if diff := cmp.Diff(string(want), result); diff != "" {
		t.Errorf("%s (-golden +got); if the change is intended, update it with: %s\n%s", path, updateCommand(t), diff)
	}
}

// updateCommand returns the command line that updates the goldens of a test, for the root of the repository.
func updateCommand(t testing.TB) string {
	t.Helper()
	directory, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := directory
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil || root == filepath.Dir(root) {
			break
		}
		root = filepath.Dir(root)
	}
	folder, err := filepath.Rel(root, directory)
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("go test ./%s -run '^%s$' -update", filepath.ToSlash(folder), name)
}
