package host

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// addPrompts registers the prompts. They are the same for every caller: no prompt reads anything (R-MCP-1).
func addPrompts(server *mcp.Server, surface tool.Surface) {
	for _, prompt := range surface.Prompts {
		shown := &mcp.Prompt{Name: prompt.Name, Title: prompt.Title, Description: prompt.Description}
		for _, argument := range prompt.Arguments {
			shown.Arguments = append(shown.Arguments, &mcp.PromptArgument{
				Name: argument.Name, Description: argument.Description, Required: argument.Required,
			})
		}
		server.AddPrompt(shown, func(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text, err := prompt.Message(request.Params.Arguments)
			if err != nil {
				return nil, requestError(tool.Failed(err))
			}
			return &mcp.GetPromptResult{
				Description: prompt.Description,
				Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
			}, nil
		})
	}
}
