package toolcall

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Recorder counts what a hosted server does. Every string comes from a closed set: routes, methods, tools and codes of this server,
// never text of a client or a resource server. It is called concurrently and must not block.
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
	reading rs.Reading
}

// Sent records a request to the resource server.
func (o *outcome) Sent(sent rs.Sent) {
	o.recorder.Read(sent.Status, sent.Took)
	o.reads.add(sent)
}

// outcomeOf returns the outcome of the MCP request of a context, or nil.
func outcomeOf(ctx context.Context) *outcome {
	recorded, _ := rs.ObserverOf(ctx).(*outcome)
	return recorded
}

func recordReading(ctx context.Context, kind string, reading rs.Reading) {
	if recorded := outcomeOf(ctx); recorded != nil {
		recorded.kind, recorded.reading = kind, reading
	}
}

// Observe runs an MCP request, records it, and logs one line: who, what and how long, never arguments or results. The method is one
// that the SDK knows.
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
