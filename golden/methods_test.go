package golden_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// The linker drops the methods that nothing calls, unless a function that it keeps looks methods up by name, as templates
// do. It then keeps every method of every type, and pdpp-mcp had 4.6 MB of them.
func TestNoMethodIsFoundByName(t *testing.T) {
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "pdpp-mcp"), "./cmd/pdpp-mcp")
	build.Dir = ".."
	edges, err := build.CombinedOutput() // from each symbol to those that it needs
	if err != nil {
		t.Fatalf("go build: %v", err)
	}
	if !bytes.Contains(edges, []byte("main.main")) {
		t.Fatal("the linker prints no symbols")
	}
	lookups := slices.DeleteFunc(bytes.Split(edges, []byte("\n")), func(edge []byte) bool { return !bytes.Contains(edge, []byte("<ReflectMethod>")) })
	if len(lookups) > 0 {
		t.Errorf("%d uses of methods by name; the first is %s", len(lookups), lookups[0])
	}
}
