package toolcall

import (
	"context"
	"log/slog"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/tracecontext"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// Request describes one HTTP request. It belongs to that request only, and does not change after authentication
// (R-HOST-5).
type Request struct {
	ID     string               // in the response and in every log line
	Origin string               // that the client sees
	Trace  tracecontext.Context // of the header

	Caller *auth.Caller // nil before authentication
	Bearer rs.Secret

	HasViews bool // the client has declared that it shows pages of the server (R-VIEW-2), as far as the headers show it
}

type requestKey struct{}

// RequestOf returns the request of a context, or an empty one over stdio.
func RequestOf(ctx context.Context) *Request {
	if request, ok := ctx.Value(requestKey{}).(*Request); ok {
		return request
	}
	return &Request{}
}

// Within returns a context with the request.
func (r *Request) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// AppendTo appends the request's id and the hash of its caller's token to the attributes of a log line.
func (r *Request) AppendTo(attributes []slog.Attr) []slog.Attr {
	attributes = append(attributes, slog.String("request_id", r.ID))
	if r.Caller != nil {
		attributes = append(attributes, slog.String("caller", r.Caller.TokenHash))
	}
	return attributes
}

// LogRefusal logs who was refused. The code comes from a closed set.
func LogRefusal(ctx context.Context, logger *slog.Logger, status int, code string) {
	attributes := append(RequestOf(ctx).AppendTo(nil), slog.Int("status", status), slog.String("code", code))
	logger.LogAttrs(ctx, slog.LevelInfo, "refused", attributes...)
}

// Traced returns a context in the trace that a message names, otherwise in the trace of its request (MCP SEP-414).
func Traced(ctx context.Context, named tracecontext.Context) context.Context {
	return named.Or(RequestOf(ctx).Trace).Within(ctx)
}

// InFlight counts requests, so that a server that ends can wait for them.
type InFlight struct {
	mu    sync.Mutex
	count int
	idle  chan struct{} // closed and replaced whenever the count reaches zero
}

// NewInFlight returns a new InFlight.
func NewInFlight() *InFlight { return &InFlight{idle: make(chan struct{})} }

// Enter counts a request until leave is called.
func (f *InFlight) Enter() (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	return f.leave
}

func (f *InFlight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count--; f.count == 0 {
		close(f.idle)
		f.idle = make(chan struct{})
	}
}

// Wait returns when no request is in flight, or when the context ends.
func (f *InFlight) Wait(ctx context.Context) {
	f.mu.Lock()
	count, idle := f.count, f.idle
	f.mu.Unlock()
	if count == 0 {
		return
	}
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
