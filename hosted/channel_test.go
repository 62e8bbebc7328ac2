package hosted_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/journey/blind"
)

// channel is one part of a result: how it is read, and what it is.
type channel struct {
	name string
	read blind.Channel
	show func(*testing.T, *mcp.CallToolResult) string
}

// channels are the two parts, of which a host shows one.
var channels = []channel{
	{"text", blind.Text{}, textOf},
	{"structured", blind.Structured{}, structuredOf},
}

func textOf(_ *testing.T, result *mcp.CallToolResult) string {
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func structuredOf(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false) // as hosts write it for a model
	if err := encoder.Encode(result.StructuredContent); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(encoded.String(), "\n")
}

// call calls a tool, and does not judge the result.
func call(ctx context.Context, t *testing.T, session *mcp.ClientSession, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return result
}
