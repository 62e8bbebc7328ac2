package host

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Recorder counts what a hosted server does. Every string comes from a closed set: routes, statuses,
// methods, tools and codes that this server knows, never what a client or a resource server wrote. It is
// called concurrently and must not block.
type Recorder interface {
	// Request is one HTTP request that was answered.
	Request(route string, status int, elapsed time.Duration)

	// Call is one tool call or resource read: ok, or the code of its error.
	Call(tool, code string, elapsed time.Duration)

	// Read is one request to the resource server, to the end of its answer: its status, 0 when there was none.
	Read(status int, elapsed time.Duration)

	// Reading is one answer that the adapter read itself: its kind, whether that was complete, and how many records it read.
	Reading(kind string, complete bool, records int64)

	// Child is one read of a source of a package: a fanout.Result.
	Child(result string, elapsed time.Duration)
}

type silentRecorder struct{}

func (silentRecorder) Request(string, int, time.Duration) {}
func (silentRecorder) Call(string, string, time.Duration) {}
func (silentRecorder) Read(int, time.Duration)            {}
func (silentRecorder) Reading(string, bool, int64)        {}
func (silentRecorder) Child(string, time.Duration)        {}

// outcome is what became of one MCP request. Its strings come from closed sets. It is the observer of the requests to the resource
// server that the request led to.
type outcome struct {
	recorder Recorder
	reads    reads

	tool string // empty when no tool was run
	code string // ok, or the code of the error

	kind    string // of what the adapter read itself; empty: nothing
	reading rs.Reading
}

var _ rs.Observer = (*outcome)(nil)

// Sent counts one request to the resource server.
func (o *outcome) Sent(sent rs.Sent) {
	o.recorder.Read(sent.Status, sent.Took)
	o.reads.add(sent)
}

// outcomeOf is what becomes of the MCP request of a context; nil when nobody wants to know.
func outcomeOf(ctx context.Context) *outcome {
	kept, _ := rs.ObserverOf(ctx).(*outcome)
	return kept
}

// note keeps the outcome of a tool for observe.
func note(ctx context.Context, name, code string) {
	if kept := outcomeOf(ctx); kept != nil {
		kept.tool, kept.code = name, code
	}
}

// noteReading keeps what a tool read itself for observe.
func noteReading(ctx context.Context, kind string, reading rs.Reading) {
	if kept := outcomeOf(ctx); kept != nil {
		kept.kind, kept.reading = kind, reading
	}
}

// observe runs an MCP request and writes one line of it: who, what and how long, but no argument and no answer. The method is
// one that the SDK knows, never what a client wrote.
func (h *Handler) observe(ctx context.Context, method string, run func(context.Context) error) error {
	started := time.Now()
	became := &outcome{recorder: h.options.Recorder, code: tool.OK}
	err := run(rs.ObservedBy(ctx, became))
	elapsed := time.Since(started)
	attributes := append(make([]slog.Attr, 0, 6), slog.String("method", method))
	var failed *jsonrpc.Error
	switch {
	case became.tool != "":
		h.options.Recorder.Call(became.tool, became.code, elapsed)
		attributes = append(attributes, slog.String("tool", became.tool))
		if became.kind != "" {
			h.options.Recorder.Reading(became.kind, became.reading.Complete, became.reading.Read)
			attributes = append(attributes, slog.Int64("records_read", became.reading.Read), slog.Bool("complete", became.reading.Complete))
		}
	case errors.As(err, &failed):
		became.code = jsonrpcCode(failed)
	case err != nil:
		became.code = "jsonrpc_error"
	}
	attributes = append(attributes, slog.String("code", became.code), slog.Float64("duration_ms", milliseconds(elapsed)))
	h.options.Logger.LogAttrs(ctx, slog.LevelInfo, "request", requestOf(ctx).appendTo(attributes)...)
	return err
}

func jsonrpcCode(failed *jsonrpc.Error) string {
	return "jsonrpc_" + strconv.FormatInt(failed.Code, 10)
}

// observeSDK observes what the SDK serves, which refuses methods that it does not know before. What it runs has the caller of
// that one message in its context.
func (h *Handler) observeSDK(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		err = h.observe(fromSDK(request).within(ctx), method, func(ctx context.Context) error {
			result, err = next(ctx, method, request)
			return err
		})
		return result, err
	}
}
