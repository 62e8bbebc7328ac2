// Package hosted_test holds the hosted server to its promises from end to end: clients over HTTP, packages of
// grants, and the servers behind them, all at addresses of their own.
package hosted_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
)

// channel is one part of a result: how it is read, and what it is.
type channel struct {
	name string
	read blind.Channel
	show func(*testing.T, *mcp.CallToolResult) string
}

// channels are the two parts, of which a host shows one.
var channels = []channel{
	{"text", blind.Text{}, journey.Text},
	{"structured", blind.Structured{}, journey.Structured},
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
