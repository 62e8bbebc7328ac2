package host

import (
	"context"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tracecontext"
)

// Tracer follows calls and what they read (R-OPS-1). It gets no arguments, no answers and no tokens. It is called concurrently.
type Tracer interface {
	// Call begins to follow a call. It gives the context under which the call reads, which belongs to the trace that it is
	// followed in (package tracecontext), and a function that ends it with an outcome of tool.Outcome.
	Call(ctx context.Context, call TracedCall) (context.Context, func(outcome string))

	// Transport follows the requests that another transport sends to a resource server, each under the context of its call.
	Transport(inner http.RoundTripper) http.RoundTripper
}

// TracedCall is what may be known of a call. Its strings come from closed sets, but for ids.
type TracedCall struct {
	Method    string               // tools/call, or of another request that reads the resource server
	Tool      string               // that answers; empty for none
	Revision  string               // of MCP; empty when the call does not name it
	MessageID string               // of JSON-RPC, where it is a number
	RequestID string               // as answer and log show it, over HTTP
	IsHosted  bool                 // over HTTP
	Parent    tracecontext.Context // that the call belongs to; zero for none
	Link      tracecontext.Context // of the HTTP request, where the message names another parent (MCP SEP-414)
}

// follow begins to follow a call; without a Tracer it does nothing, at no cost.
func (c *toolCalls) follow(ctx context.Context, call toolCall) (context.Context, func(outcome string)) {
	if c.tracer == nil {
		return ctx, func(string) {}
	}
	request := requestOf(ctx)
	traced := TracedCall{
		Method: call.method, Tool: call.definition.Name, Revision: call.revision,
		RequestID: request.id, IsHosted: request.id != "", Parent: tracecontext.From(ctx),
	}
	if rawjson.Kind(call.id.written) == rawjson.Number {
		traced.MessageID = string(call.id.written)
	}
	if call.trace.Parent != "" {
		traced.Link = request.trace
	}
	return c.tracer.Call(ctx, traced)
}
