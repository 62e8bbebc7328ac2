package host

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// NewBareSDK returns a server of the same surface whose calls the SDK answers. Origin is for the icon, and empty for a
// local server.
func NewBareSDK(surface tool.Surface, options Options, origin string, environment toolcall.Environment) *mcp.Server {
	self := options.identity()
	if origin != "" {
		self.Icons = []mcp.Icon{page.Icon(origin)}
	}
	runner := options.newRunner(surface, environment)
	return newServer(surface, self, runner, runBySDK(runner))
}

func runBySDK(runner *toolcall.Runner) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := runner.Run(ctx,
			toolcall.Call{Definition: runner.Tool(request.Params.Name), Arguments: request.Params.Arguments})
		return convertedFor(result), nil
	}
}

func convertedFor(result *tool.Result) *mcp.CallToolResult {
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
	return converted
}
