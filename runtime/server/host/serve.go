package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of a connection.
const (
	headerTimeout = 10 * time.Second
	writeTimeout  = 60 * time.Second // longer than every call with its authentication
	idleTimeout   = 120 * time.Second
	maxHeader     = 32 << 10 // bytes; a bearer has up to 16 KiB
)

// DefaultDrain is the default of DrainTimeout. Every running call ends within it.
const DefaultDrain = DefaultCallTimeout + 5*time.Second

// ServeOptions configures how a hosted server ends.
type ServeOptions struct {
	DrainDelay   time.Duration // how long to accept connections after /readyz fails; part of DrainTimeout
	DrainTimeout time.Duration // from the start of draining until all connections are closed; 0 means DefaultDrain
	Logger       *slog.Logger  // may be nil
}

// Serve serves on a listener until the context is done. It then drains: /readyz fails, and running calls finish. After
// the timeout it closes the remaining connections (R-HOST-9). It closes the listener, whose error it returns.
func Serve(ctx context.Context, listener net.Listener, current *Current, options ServeOptions) error {
	options.DrainTimeout = cmp.Or(options.DrainTimeout, DefaultDrain)
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	server := NewHTTPServer(current, options.Logger)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	options.Logger.Info("draining", "delay", options.DrainDelay, "timeout", options.DrainTimeout)
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.DrainTimeout)
	defer cancel()
	// While the server drains, each response closes its connection. An idle connection is not closed at once, because a
	// client may be sending a request on it.
	current.drain(draining, options.DrainDelay)
	if err := server.Shutdown(draining); err != nil {
		options.Logger.Warn("drain timeout: closed connections with running requests", "reason", err)
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// NewHTTPServer returns a server with limits against slow clients. Errors of connections are logged at debug level.
func NewHTTPServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// Current is a hosted server whose handler can be replaced while it serves (R-OPS-3). A request keeps the handler that
// it began with. It is safe for concurrent use.
type Current struct {
	handler atomic.Pointer[Handler]
	mu      sync.Mutex // held to replace the handler or to begin to drain it
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
	if !c.handler.Load().readiness.draining.Load() {
		c.handler.Store(handler)
	}
}

func (c *Current) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.Load().ServeHTTP(w, r) }

// drain makes the current handler not ready, and waits for the delay and for its running calls. Requests are still
// answered. The server's shutdown waits for requests of replaced handlers.
func (c *Current) drain(ctx context.Context, delay time.Duration) {
	c.mu.Lock()
	handler := c.handler.Load()
	handler.readiness.draining.Store(true)
	c.mu.Unlock()
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return
		}
	}
	handler.inFlight.Wait(ctx)
}
