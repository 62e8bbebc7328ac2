package blind

import (
	"go/build"
	"strings"
	"testing"
)

// R-BUD-1: a reader that could reach a session, a result or the sandbox would not be blind.
func TestReaderStandsOnTheStandardLibrary(t *testing.T) {
	pkg, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pkg.Imports {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") || first == "net" || first == "os" {
			t.Errorf("the reader imports %s", path)
		}
	}
}
