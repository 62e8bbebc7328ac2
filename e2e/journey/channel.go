package journey

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/e2e/seen"
)

// Channel is one part of a result: its name, and how to read it.
type Channel struct {
	Name string
	Read blind.Channel
	Show func(*testing.T, *mcp.CallToolResult) string
}

// Channels are the two parts of a result. A host shows a model one of them.
var Channels = []Channel{{"text", blind.Text{}, Text}, {"structured", blind.Structured{}, Structured}}

// Text is seen.Text, whose errors fail the test.
func Text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	return shown(t, result, seen.Text)
}

// Structured is seen.Structured, whose errors fail the test.
func Structured(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	return shown(t, result, seen.Structured)
}

func shown(t *testing.T, result *mcp.CallToolResult, show func(*mcp.CallToolResult) (string, error)) string {
	t.Helper()
	text, err := show(result)
	if err != nil {
		t.Error(err)
	}
	return text
}
