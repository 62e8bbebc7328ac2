// Package host serves a surface of tools over the Model Context Protocol (MCP). It takes tools as
// values and knows nothing of how they were made.
package host

import (
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// DefaultCallTimeout bounds a whole tool call (interfaces.md, Limits).
const DefaultCallTimeout = 25 * time.Second

// listsFreshFor is how long a client may keep what the server says of itself. It changes only with
// a release.
const listsFreshFor = 5 * time.Minute

// Options says how a server presents itself.
type Options struct {
	Name        string
	Version     string
	Logger      *slog.Logger  // takes what goes wrong inside; nil for none
	CallTimeout time.Duration // of one tool call or resource read; 0 means DefaultCallTimeout
}

func (o Options) callTimeout() time.Duration {
	if o.CallTimeout <= 0 {
		return DefaultCallTimeout
	}
	return o.CallTimeout
}

// Environment gives what one request may use, from the request's own extra data: the bearer of one
// caller must not reach another (R-HOST-5). Its errors become the result of that request. It is
// called concurrently.
type Environment func(ctx context.Context, extra *mcp.RequestExtra) (tool.Env, error)

// NewServer makes an MCP server of a surface. The same server serves any number of sessions. It
// panics when a tool has no usable schema, since surfaces are generated and tested.
func NewServer(surface tool.Surface, options Options, environment Environment) *mcp.Server {
	return newServer(surface, options, environment, func(*mcp.RequestExtra) *standIns { return nil })
}

// newServer makes a server whose messages are restored on their way out, where kept gives stand-ins.
func newServer(surface tool.Surface, options Options, environment Environment, kept func(*mcp.RequestExtra) *standIns) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: options.Name, Version: options.Version},
		&mcp.ServerOptions{
			Instructions: surface.Instructions,
			// Named here, so that the SDK does not promise list changes: the lists never change.
			Capabilities: &mcp.ServerCapabilities{
				Tools:     &mcp.ToolCapabilities{},
				Resources: &mcp.ResourceCapabilities{},
			},
			SetCacheable: setCacheable,
		},
	)
	caller := newCaller(options, environment)
	for _, definition := range surface.Tools {
		addTool(server, definition, caller, kept)
	}
	addResources(server, surface, caller)
	return server
}

func addTool(server *mcp.Server, definition tool.Definition, caller caller, kept func(*mcp.RequestExtra) *standIns) {
	no := false
	advertised := &mcp.Tool{
		Name:        definition.Name,
		Title:       definition.Title,
		Description: definition.Description,
		InputSchema: definition.InputSchema,
		// All tools read, and read only what one grant holds (R-SURF-3).
		Annotations: &mcp.ToolAnnotations{
			Title:           definition.Title,
			ReadOnlyHint:    true,
			DestructiveHint: &no,
			IdempotentHint:  true,
			OpenWorldHint:   &no,
		},
	}
	if definition.OutputSchema != nil { // a nil RawMessage in the interface would be served as null
		advertised.OutputSchema = definition.OutputSchema
	}
	server.AddTool(advertised, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result := caller.call(ctx, definition, request.Extra, request.Params.Arguments)
		return kept(request.Extra).keep(callToolResult(result), result), nil
	})
}

func callToolResult(result *tool.Result) *mcp.CallToolResult {
	converted := &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: result.Text}},
		IsError: result.IsError,
	}
	if result.Structured != nil {
		converted.StructuredContent = result.Structured
	}
	if result.Meta != nil {
		converted.Meta = make(mcp.Meta, len(result.Meta))
		for name, value := range result.Meta {
			converted.Meta[name] = value
		}
	}
	return converted
}

// setCacheable lets anybody keep what the server says of itself, and nobody what it read.
func setCacheable(_ context.Context, request mcp.Request, cacheable *mcp.Cacheable) {
	if _, isRead := request.(*mcp.ReadResourceRequest); isRead {
		cacheable.CacheScope, cacheable.TTLMs = "private", 0
		return
	}
	cacheable.CacheScope, cacheable.TTLMs = "public", int(listsFreshFor.Milliseconds())
}
