package blind

import (
	"go/build"
	"slices"
	"strings"
	"testing"
)

// R-BUD-1: a reader, or a candidate of the exam that has one, which could reach a session, a result or the sandbox
// would not be blind.
func TestReadersImportOnlyTheStandardLibrary(t *testing.T) {
	const reader = "github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	for folder, allowed := range map[string][]string{".": nil, "../../exam/candidate": {reader}} {
		pkg, err := build.ImportDir(folder, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range pkg.Imports {
			first, _, _ := strings.Cut(path, "/")
			if (strings.Contains(first, ".") || first == "net" || first == "os") && path != "net/url" &&
				!slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", folder, path)
			}
		}
	}
}
