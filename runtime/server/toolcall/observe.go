package toolcall

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Recorder counts what a hosted server does. Every string comes from a closed set: routes, methods, tools and codes of
// this server, never text of a client or a resource server. It is called concurrently and must not block.
type Recorder interface {
	// Request records an HTTP request.
	Request(route string, status int, elapsed time.Duration)

	// Call records a tool call or a resource read. The code is ok or an error code.
	Call(tool, code string, elapsed time.Duration)

	// Read records a request to the resource server. The status is 0 without a response.
	Read(status int, elapsed time.Duration)

	// Reading records an answer that the adapter computed from records.
	Reading(kind string, complete bool, records int64)

	// Child records a read of one source of a package. The result is a fanout.Result.
	Child(result string, elapsed time.Duration)
}

// SilentRecorder records nothing.
type SilentRecorder struct{}

func (SilentRecorder) Request(string, int, time.Duration) {}
func (SilentRecorder) Call(string, string, time.Duration) {}
func (SilentRecorder) Read(int, time.Duration)            {}
func (SilentRecorder) Reading(string, bool, int64)        {}
func (SilentRecorder) Child(string, time.Duration)        {}

// outcome is the outcome of one MCP request. It observes the requests to the resource server.
type outcome struct {
	recorder Recorder
	reads    reads

	tool string // empty if no tool ran
	code string // ok, or the code of the error

	kind    string // of an answer that the adapter computed; otherwise empty
	reading answer.Reading
}

// Sent records a request to the resource server.
func (o *outcome) Sent(sent rs.Sent) {
	o.recorder.Read(sent.Status, sent.Took)
	o.reads.add(sent)
}

func outcomeOf(ctx context.Context) *outcome {
	recorded, _ := rs.ObserverOf(ctx).(*outcome)
	return recorded
}

func recordReading(ctx context.Context, kind string, reading answer.Reading) {
	if recorded := outcomeOf(ctx); recorded != nil {
		recorded.kind, recorded.reading = kind, reading
	}
}

// Observe runs an MCP request, records it, and logs one line: who, what and how long, never arguments or results. The
// method is one that the SDK knows.
func (r *Runner) Observe(ctx context.Context, method string, run func(context.Context) error) error {
	started := time.Now()
	observed := &outcome{recorder: r.options.Recorder, code: tool.OK}
	err := run(rs.ObservedBy(ctx, observed))
	elapsed := time.Since(started)
	attributes := []slog.Attr{slog.String("method", method)}
	var failed *jsonrpc.Error
	switch {
	case observed.tool != "":
		r.options.Recorder.Call(observed.tool, observed.code, elapsed)
		attributes = append(attributes, slog.String("tool", observed.tool))
		if observed.kind != "" {
			r.options.Recorder.Reading(observed.kind, observed.reading.Complete, observed.reading.Read)
			attributes = append(attributes, slog.Int64("records_read", observed.reading.Read), slog.Bool("complete", observed.reading.Complete))
		}
	case errors.As(err, &failed):
		observed.code = errorCode(failed)
	case err != nil:
		observed.code = "jsonrpc_error"
	}
	attributes = append(attributes, slog.String("code", observed.code), slog.Float64("duration_ms", milliseconds(elapsed)))
	r.options.Logger.LogAttrs(ctx, slog.LevelInfo, "request", RequestOf(ctx).AppendTo(attributes)...)
	return err
}

func errorCode(failed *jsonrpc.Error) string { return "jsonrpc_" + strconv.FormatInt(failed.Code, 10) }

// Tracer traces calls and their reads (R-OPS-1). It gets no arguments, results or tokens. It is called concurrently.
type Tracer interface {
	// Call starts the span of a call. It returns the context for the call's reads, and a function that ends the span with
	// an outcome of tool.Outcome.
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
