package host

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// progressEvery is how long a client is told nothing at least after it was told how far a call has come (MCP, Progress: both
// sides should limit the rate).
const progressEvery = 500 * time.Millisecond

// progress tells a client how far one of its calls has come. It is safe for concurrent use.
type progress struct {
	token json.RawMessage // as the client spelled it
	send  func(message []byte)

	mu      sync.Mutex
	done    int64
	told    time.Time
	isEnded bool // the answer is next, behind which nothing may be told
}

type progressKey struct{}

// reporting gives a context in which the call's tool can tell its progress, if the client asked for that with a token. No
// message is sent when end has returned.
func (c toolCall) reporting(ctx context.Context, send func(message []byte)) (reporting context.Context, end func()) {
	switch rawjson.Kind(c.progressToken) {
	case rawjson.StringValue, rawjson.Number:
	default:
		return ctx, func() {}
	}
	p := &progress{token: c.progressToken, send: send}
	return context.WithValue(ctx, progressKey{}, p), p.end
}

// progressOf is what tells the progress of the call of a context, or nil when the client did not ask for it.
func progressOf(ctx context.Context) func(done int64, message string) {
	p, isAsked := ctx.Value(progressKey{}).(*progress)
	if !isAsked {
		return nil
	}
	return func(done int64, message string) {
		if ctx.Err() == nil {
			p.tell(done, message)
		}
	}
}

// tell sends a notification, unless one was sent just before. What is told only grows.
func (p *progress) tell(done int64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isEnded || done <= p.done || time.Since(p.told) < progressEvery {
		return
	}
	p.done, p.told = done, time.Now()
	params := rawjson.Object{rawjson.Raw("progressToken", p.token), rawjson.Int("progress", done), rawjson.String("message", message)}
	p.send(rawjson.Object{
		rawjson.String("jsonrpc", "2.0"), rawjson.String("method", methodProgress), rawjson.Raw("params", params.Encode()),
	}.Encode())
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isEnded = true
}

// eventStream answers a POST with server-sent events in place of JSON, as soon as there is a message before the answer (MCP
// 2025-03-26, Sending Messages to the Server). Clients have to accept both forms.
type eventStream struct {
	w     http.ResponseWriter
	begun bool
}

// send sends a message at once.
func (s *eventStream) send(message []byte) {
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", cachingOfAnswers)
		s.w.Header().Set("X-Accel-Buffering", "no") // a proxy would keep it until the answer
		s.w.WriteHeader(http.StatusOK)
	}
	for _, part := range [][]byte{[]byte("event: message\ndata: "), message, []byte("\n\n")} {
		if _, err := s.w.Write(part); err != nil {
			return // the client has gone, and the request's context ends with it
		}
	}
	_ = http.NewResponseController(s.w).Flush() // else it comes with the answer
}

// answer sends the answer as the last event, or as JSON when no event came before.
func (s *eventStream) answer(answer []byte) {
	if s.begun {
		s.send(answer)
		return
	}
	writeAnswer(s.w, answer)
}
