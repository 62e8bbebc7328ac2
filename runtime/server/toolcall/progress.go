package toolcall

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// progressInterval is the shortest time between two notifications of a call (MCP, Progress: both sides should limit the
// rate).
const progressInterval = 500 * time.Millisecond

// progress reports the progress of one call to its client. It is safe for concurrent use.
type progress struct {
	token json.RawMessage // as the client spelled it
	send  func(message []byte)

	mu      sync.Mutex
	done    int64
	sent    time.Time
	isEnded bool // nothing may be sent after the response
}

type progressKey struct{}

// withProgress returns a context in which the tool can report progress, if the client asked for it. Nothing is sent
// after end.
func (c Call) withProgress(ctx context.Context, send func(message []byte)) (reporting context.Context, end func()) {
	switch rawjson.Kind(c.progressToken) {
	case rawjson.StringValue, rawjson.Number:
	default:
		return ctx, func() {}
	}
	p := &progress{token: c.progressToken, send: send}
	return context.WithValue(ctx, progressKey{}, p), p.end
}

// progressOf returns the function that reports the progress of a context's call, or nil if the client did not ask for
// it.
func progressOf(ctx context.Context) func(done int64, message string) {
	p, isAsked := ctx.Value(progressKey{}).(*progress)
	if !isAsked {
		return nil
	}
	return func(done int64, message string) {
		if ctx.Err() == nil {
			p.report(done, message)
		}
	}
}

// report sends a notification, unless one was just sent or the progress has not grown.
func (p *progress) report(done int64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isEnded || done <= p.done || time.Since(p.sent) < progressInterval {
		return
	}
	p.done, p.sent = done, time.Now()
	params := rawjson.Object{rawjson.Raw("progressToken", p.token), rawjson.Int("progress", done), rawjson.String("message", message)}
	p.send(rawjson.Object{
		rawjson.String("jsonrpc", "2.0"), rawjson.String("method", "notifications/progress"), rawjson.Raw("params", params.Encode()),
	}.Encode())
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isEnded = true
}

// eventStream answers a POST with events if a message precedes the response, otherwise with JSON (MCP 2025-03-26).
type eventStream struct {
	w        http.ResponseWriter
	hasBegun bool
}

func (s *eventStream) send(message []byte) {
	if !s.hasBegun {
		s.hasBegun = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", responseCaching)
		s.w.Header().Set("X-Accel-Buffering", "no") // nginx would otherwise delay it until the response
		s.w.WriteHeader(http.StatusOK)
	}
	for _, part := range [][]byte{[]byte("event: message\ndata: "), message, []byte("\n\n")} {
		if _, err := s.w.Write(part); err != nil {
			return // the client has disconnected, and the request's context ends
		}
	}
	_ = http.NewResponseController(s.w).Flush() // if this fails, the message is sent with the response
}

func (s *eventStream) respond(response []byte) {
	if s.hasBegun {
		s.send(response)
		return
	}
	WriteJSON(s.w, http.StatusOK, MediaJSON, responseCaching, response)
}
