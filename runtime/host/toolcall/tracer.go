package toolcall

import (
	"context"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tracecontext"
)

// Tracer traces calls and their reads (R-OPS-1). It gets no arguments, results or tokens. It is called concurrently.
type Tracer interface {
	// Call starts the span of a call. It returns the context for the call's reads, and a function that ends the span with an
	// outcome of tool.Outcome.
	Call(ctx context.Context, call TracedCall) (context.Context, func(outcome string))

	// Transport returns a transport that traces the requests of another one to a resource server.
	Transport(inner http.RoundTripper) http.RoundTripper
}

// TracedCall describes a call to a Tracer. All of its strings except ids come from closed sets.
type TracedCall struct {
	Method    string
	Tool      string               // empty if no tool runs
	Revision  string               // of MCP; empty if the call does not name it
	MessageID string               // of JSON-RPC, if it is a number
	RequestID string               // over HTTP, as in the response and the log
	IsHosted  bool                 // over HTTP
	Parent    tracecontext.Context // may be zero
	Link      tracecontext.Context // of the HTTP request, if the message names another parent (MCP SEP-414)
}

// trace starts the span of a call.
func (r *Runner) trace(ctx context.Context, call Call) (context.Context, func(outcome string)) {
	if r.options.Tracer == nil {
		return ctx, func(string) {}
	}
	request := RequestOf(ctx)
	traced := TracedCall{
		Method: call.Method, Tool: call.Definition.Name, Revision: call.revision,
		RequestID: request.ID, IsHosted: request.ID != "", Parent: tracecontext.From(ctx),
	}
	if rawjson.Kind(call.id.written) == rawjson.Number {
		traced.MessageID = string(call.id.written)
	}
	if call.trace.Parent != "" {
		traced.Link = request.Trace
	}
	return r.options.Tracer.Call(ctx, traced)
}
