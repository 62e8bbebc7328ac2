package host

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainingTransport keeps the end of the input from the SDK until every request that came before it
// is answered. The SDK cancels what is under way when the input ends; a script that pipes its
// requests in and closes would get no answers.
type drainingTransport struct {
	inner  mcp.Transport
	atMost time.Duration // how long the end of the input is kept back

	connection *drainingConnection // nil before Connect
}

// methodListen is a request that stays open for as long as its session does.
const methodListen = "subscriptions/listen"

// Connect connects the inner transport.
func (t *drainingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	connection, err := t.inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.connection = &drainingConnection{
		Connection: connection,
		atMost:     t.atMost,
		unanswered: make(map[jsonrpc.ID]struct{}),
		answered:   make(chan struct{}, 1),
		closed:     make(chan struct{}),
	}
	return t.connection, nil
}

type drainingConnection struct {
	mcp.Connection
	atMost time.Duration

	mu         sync.Mutex
	unanswered map[jsonrpc.ID]struct{}
	answered   chan struct{} // holds a value after an answer

	closing sync.Once
	closed  chan struct{}
}

// Read notes the requests that want an answer, and waits for the answers when the input has ended.
func (c *drainingConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if request, ok := message.(*jsonrpc.Request); ok && err == nil && request.IsCall() && request.Method != methodListen {
		c.mu.Lock()
		c.unanswered[request.ID] = struct{}{}
		c.mu.Unlock()
	}
	if errors.Is(err, io.EOF) {
		c.drain(ctx, c.atMost)
	}
	return message, err
}

// drain waits until every request that was read is answered, but not longer than atMost.
func (c *drainingConnection) drain(ctx context.Context, atMost time.Duration) {
	overdue := time.NewTimer(atMost)
	defer overdue.Stop()
	for {
		c.mu.Lock()
		left := len(c.unanswered)
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-c.closed:
			return
		case <-overdue.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write notes an answer once it is written.
func (c *drainingConnection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if response, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.unanswered, response.ID)
		c.mu.Unlock()
		select {
		case c.answered <- struct{}{}:
		default: // a value is there already, and one is enough to look again
		}
	}
	return err
}

// Close ends the wait for answers too.
func (c *drainingConnection) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
