package host

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Current is a hosted server whose handler can be replaced while it serves, for settings that change (R-OPS-3). A request is
// answered by the handler that was there when it came. It is made by NewCurrent and safe for concurrent use.
type Current struct {
	handler atomic.Pointer[Handler]

	mu       sync.Mutex
	draining bool
}

// NewCurrent serves with a handler until that is replaced.
func NewCurrent(handler *Handler) *Current {
	c := &Current{}
	c.handler.Store(handler)
	return c
}

// Replace lets another handler answer the requests to come. A server that is about to end keeps its handler.
func (c *Current) Replace(handler *Handler) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining {
		c.handler.Store(handler)
	}
}

// ServeHTTP answers one request.
func (c *Current) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.Load().ServeHTTP(w, r) }

// Drain is that of the handler. Requests that a replaced one still answers are left to the server's shutdown.
func (c *Current) Drain(ctx context.Context, delay time.Duration) {
	c.mu.Lock()
	c.draining = true
	c.mu.Unlock()
	c.handler.Load().Drain(ctx, delay)
}
