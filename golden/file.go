// Package golden compares what a test got with a reviewed file. This folder has the goldens of the whole project and the
// tests that compare them. Only tests import the package.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files as the results are")

// Updates reports whether goldens are to be written, for tests that keep several in one file: the flag -update.
func Updates() bool { return *update }

// File fails the test when the file at the path differs from what the test got, or is missing. With the flag
// -update it writes the file first.
func File[Content ~string | ~[]byte](t testing.TB, path string, got Content) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update and review the file", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-golden +got); run the test with -update when this is meant:\n%s", path, diff)
	}
}
