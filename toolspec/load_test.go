package toolspec_test

import (
	"os"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/toolspec"
)

// The specs that ship are without problems, and every argument is resolved.
func TestShippedSpecsLoad(t *testing.T) {
	surface, err := toolspec.Load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(surface.Tools) != 6 || len(surface.Templates) != 3 || len(surface.Outputs) != 4 {
		t.Errorf("loaded %d tools, %d templates, %d outputs; want 6, 3, 4", len(surface.Tools), len(surface.Templates), len(surface.Outputs))
	}
}
