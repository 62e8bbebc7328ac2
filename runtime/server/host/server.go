// Package host serves a surface of tools over the Model Context Protocol (MCP): ServeLocal for one session over stdio,
// and a Handler with Serve over HTTP. Tool calls are answered by package toolcall, pages by package page, and
// everything else by the SDK.
package host

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// DefaultCallTimeout limits a whole tool call (docs/interfaces.md, Limits).
const DefaultCallTimeout = 25 * time.Second

// listsFreshFor is the time for a client's cache of lists. They change only with a release.
const listsFreshFor = 5 * time.Minute

// Options configures a server. A Timeout of 0 means DefaultCallTimeout. Over stdio, the reader must use the Transport
// of the Tracer.
type Options struct {
	toolcall.Options

	Name    string
	Version string
}

func (o Options) identity() mcp.Implementation {
	return mcp.Implementation{Name: o.Name, Version: o.Version}
}

func (o Options) callTimeout() time.Duration { return cmp.Or(o.Timeout, DefaultCallTimeout) }

func (o Options) newRunner(surface tool.Surface, environment toolcall.Environment) *toolcall.Runner {
	o.Timeout = o.callTimeout()
	return toolcall.NewRunner(surface, o.Options, environment)
}

// Revisions returns the supported MCP revisions, newest first.
func Revisions() []string { return mcp.SupportedProtocolVersions() }

// newServer returns the SDK's server, which lists the tools. Run is its handler of calls. It panics if a tool has an
// invalid schema.
func newServer(surface tool.Surface, self mcp.Implementation, runner *toolcall.Runner, run mcp.ToolHandler) *mcp.Server {
	// Explicit, so that the SDK does not announce list changes: the lists never change.
	capabilities := &mcp.ServerCapabilities{
		Tools:     &mcp.ToolCapabilities{},
		Resources: &mcp.ResourceCapabilities{},
		Prompts:   &mcp.PromptCapabilities{},
	}
	if surface.Skill.Name != "" {
		capabilities.AddExtension("io.modelcontextprotocol/skills", nil)
	}
	server := mcp.NewServer(&self, &mcp.ServerOptions{
		Instructions:      surface.Instructions,
		Capabilities:      capabilities,
		SetCacheable:      setCacheable,
		CompletionHandler: newCompleter(surface, runner).complete,
	})
	for _, definition := range surface.Tools {
		server.AddTool(advertised(definition), run)
	}
	addResources(server, surface, runner)
	addPrompts(server, surface)
	if surface.Skill.Name != "" {
		addSkill(server, surface.Skill)
	}
	server.AddReceivingMiddleware(refuseListening, traceSDK)
	if surface.View != "" {
		server.AddReceivingMiddleware(viewsOf(surface).answer)
	}
	return server
}

// refuseCall is the SDK's handler of tool calls. The SDK reaches it only for a call that package toolcall could not
// read.
func refuseCall(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server could not read the call; this is a bug: please report it"}
}

func advertised(definition tool.Definition) *mcp.Tool {
	no := false
	shown := &mcp.Tool{
		Name:        definition.Name,
		Title:       definition.Title,
		Description: definition.Description,
		InputSchema: definition.InputSchema,
		// Every tool is read-only, and reads only the granted sources (R-SURF-3).
		Annotations: &mcp.ToolAnnotations{
			Title:           definition.Title,
			ReadOnlyHint:    true,
			DestructiveHint: &no,
			IdempotentHint:  true,
			OpenWorldHint:   &no,
		},
	}
	if definition.OutputSchema != nil { // a nil RawMessage would become null
		shown.OutputSchema = definition.OutputSchema
	}
	return shown
}

// addPrompts registers the prompts, which are the same for every caller (R-MCP-1).
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
				return nil, requestError(tool.Failed(err), "")
			}
			return &mcp.GetPromptResult{
				Description: prompt.Description,
				Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
			}, nil
		})
	}
}

// setCacheable lets clients and proxies cache everything except what was read for a caller.
func setCacheable(_ context.Context, request mcp.Request, cacheable *mcp.Cacheable) {
	cacheable.CacheScope, cacheable.TTLMs = "public", int(listsFreshFor.Milliseconds())
	if _, isRead := request.(*mcp.ReadResourceRequest); isRead {
		*cacheable = ofOneCaller
	}
}

// ofOneCaller is the cache hint of results that were read with one caller's bearer.
var ofOneCaller = mcp.Cacheable{CacheScope: "private"}

// methodListen opens a stream of list changes, which this server does not have.
const methodListen = "subscriptions/listen"

func refuseListening(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if method == methodListen {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "subscriptions are not supported: the lists of this server never change"}
		}
		return next(ctx, method, request)
	}
}

// identifyServer adds the icon (R-HOST-6) to serverInfo, and since revision 2026-07-28 to the _meta of every result.
// Its URL begins with the origin that the client sees, so the SDK's server, which is the same for all clients, has
// none.
func identifyServer(self mcp.Implementation) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, request)
			if err != nil {
				return result, err
			}
			info := shownAt(toolcall.RequestOf(ctx).Origin, self)
			if initialized, ok := result.(*mcp.InitializeResult); ok {
				shown := *initialized
				shown.ServerInfo = &info
				return &shown, nil
			}
			revision, _ := metaOf(request)[mcp.MetaKeyProtocolVersion].(string)
			if slices.Contains(identified, method) && revision >= toolcall.NewestRevision {
				meta := result.GetMeta()
				if meta == nil {
					meta = make(map[string]any, 1)
				}
				meta[mcp.MetaKeyServerInfo] = &info
				result.SetMeta(meta)
			}
			return result, nil
		}
	}
}

func shownAt(origin string, self mcp.Implementation) mcp.Implementation {
	self.Icons = []mcp.Icon{page.Icon(origin)}
	return self
}

// identified are the methods whose results have a _meta for the server's identity.
var identified = []string{
	"server/discover", "tools/list", methodListResources, "resources/templates/list", methodReadResource, "prompts/list", "prompts/get",
	methodComplete, methodListSkills, methodGetSkill,
}
