package host

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Current is a hosted server whose handler can be replaced while it serves (R-OPS-3). A request keeps the handler that it began with. It is
// safe for concurrent use.
type Current struct {
	handler atomic.Pointer[Handler]

	mu       sync.Mutex
	draining bool
}

// NewCurrent returns a server with a handler.
func NewCurrent(handler *Handler) *Current {
	c := &Current{}
	c.handler.Store(handler)
	return c
}

// Replace replaces the handler, unless the server drains.
func (c *Current) Replace(handler *Handler) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining {
		c.handler.Store(handler)
	}
}

// ServeHTTP answers a request.
func (c *Current) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.Load().ServeHTTP(w, r) }

// Drain drains the handler. Requests of a replaced one are left to the server's shutdown.
func (c *Current) Drain(ctx context.Context, delay time.Duration) {
	c.mu.Lock()
	c.draining = true
	c.mu.Unlock()
	c.handler.Load().Drain(ctx, delay)
}
