package journey

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// Channel is one part of a result: its name, and how to read it.
type Channel struct {
	Name string
	Read blind.Channel
	Show func(*testing.T, *mcp.CallToolResult) string
}

// Channels are the two parts of a result. A host shows a model one of them.
var Channels = []Channel{{"text", blind.Text{}, Text}, {"structured", blind.Structured{}, Structured}}

// Text is what a host that shows text gives a model of a result: its text content, each part on a line of its own.
func Text(_ *testing.T, result *mcp.CallToolResult) string {
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Structured is what a host that shows structured output gives a model, as JSON: < and > are not escaped as for HTML.
func Structured(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result.StructuredContent); err != nil {
		t.Errorf("structured output is no JSON: %v", err)
	}
	return strings.TrimSuffix(encoded.String(), "\n")
}
