package page_test

import (
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func TestLLMSGolden(t *testing.T) { // R-HOST-8
	golden.File(t, "testdata/llms.txt", get(routes(options()), "/llms.txt").Body.Bytes())
}

// The names of the tools are those of the surface: another surface, other names.
func TestLLMSNamesTheToolsOfTheSurface(t *testing.T) { // R-HOST-8
	given := options()
	given.Surface.Tools, given.Surface.Instructions = []tool.Definition{
		{Name: "only_one", Title: "Only one", Description: "First. Second."},
	}, ""
	content := get(routes(given), "/llms.txt").Body.String()
	if !strings.Contains(content, "\n- `only_one`: Only one. First.\n") || strings.Contains(content, "look_around") {
		t.Errorf("tools:\n%s", content)
	}
}
