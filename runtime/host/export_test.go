package host

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// NewBareSDK is a server of the same surface whose calls the SDK reads, runs and answers, for tests to compare with. Origin
// is that of the icon; empty for a local server.
func NewBareSDK(surface tool.Surface, options Options, origin string, environment Environment) *mcp.Server {
	self := options.identity()
	if origin != "" {
		self.Icons = []mcp.Icon{page.Icon(origin)}
	}
	calls := newToolCalls(surface, options, environment)
	return newServer(surface, self, calls, calls.runBySDK)
}

func (c *toolCalls) runBySDK(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	result := c.run(ctx, toolCall{definition: c.tools[request.Params.Name], arguments: request.Params.Arguments})
	converted := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: result.Text}}, IsError: result.IsError}
	if result.Structured != nil {
		converted.StructuredContent = result.Structured
	}
	if len(result.Meta) > 0 {
		converted.Meta = make(mcp.Meta, len(result.Meta))
		for name, value := range result.Meta {
			converted.Meta[name] = value
		}
	}
	return converted, nil
}
