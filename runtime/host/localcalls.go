package host

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// localCalls answers the plain calls of a session over standard input beside the SDK, each in a goroutine of its own,
// as the SDK does. Everything else of the session is the SDK's.
type localCalls struct {
	plain    *plainCalls
	lifetime context.Context // of the session
	out      *lineWriter
	inFlight *inFlight

	initialized atomic.Bool // before that the SDK refuses calls

	mu       sync.Mutex
	underWay map[string]context.CancelFunc // by id, as it is spelled
}

func newLocalCalls(lifetime context.Context, plain *plainCalls, out *lineWriter) *localCalls {
	return &localCalls{
		plain: plain, lifetime: lifetime, out: out, inFlight: newInFlight(), underWay: make(map[string]context.CancelFunc),
	}
}

// middleware notes that the session has begun.
func (c *localCalls) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		if method == "initialize" && err == nil {
			c.initialized.Store(true)
		}
		return result, err
	}
}

// take answers a message if it is a plain call, and tells whether it did. The line is not kept.
func (c *localCalls) take(line []byte) bool {
	if !c.initialized.Load() {
		return false
	}
	if call, plain := c.plain.parse(line); plain {
		c.begin(call.clone())
		return true
	}
	if id := cancelledID(line); id != nil {
		c.cancel(string(id))
	}
	return false
}

// begin runs a call. A call that the client has cancelled gets no answer (MCP 2025-11-25, Cancellation).
func (c *localCalls) begin(call plainCall) {
	ctx, cancel := context.WithCancel(c.lifetime)
	leave := c.inFlight.enter()
	c.mu.Lock()
	c.underWay[string(call.id)] = cancel
	c.mu.Unlock()
	go func() {
		defer leave()
		defer cancel()
		result := c.plain.caller.call(ctx, call.definition, nil, call.arguments)
		c.mu.Lock()
		delete(c.underWay, string(call.id))
		c.mu.Unlock()
		if ctx.Err() == nil || c.lifetime.Err() != nil {
			c.out.answer(call, result)
		}
	}()
}

func (c *localCalls) cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.underWay[id]; cancel != nil {
		cancel()
	}
}

// cancelledID is the request that a message cancels, or nil.
func cancelledID(line []byte) json.RawMessage {
	message, _ := rawjson.ParseObject(line)
	if message.Text("method") != "notifications/cancelled" {
		return nil
	}
	params, _ := rawjson.ParseObject(message.Get("params"))
	return params.Get("requestId")
}

// wait returns when no call is under way any more, or with the context.
func (c *localCalls) wait(ctx context.Context) {
	_ = c.inFlight.wait(ctx) // its error says just that
}
