package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds of a connection.
const (
	headerWithin   = 10 * time.Second
	answeredWithin = 60 * time.Second // above every call with its authentication
	idleFor        = 120 * time.Second
	maxHeader      = 32 << 10 // bytes; a bearer has up to 16 KiB
)

// DefaultDrain bounds how long a server that ends waits for calls under way. Every call that has begun
// ends within it.
const DefaultDrain = DefaultCallTimeout + 5*time.Second

// ServeOptions says how a hosted server ends.
type ServeOptions struct {
	// DrainDelay is how long connections are still taken after readiness has gone, so that load balancers
	// notice. It is a part of DrainTimeout.
	DrainDelay   time.Duration
	DrainTimeout time.Duration // until connections are cut; 0 means DefaultDrain
	Logger       *slog.Logger  // may be nil
}

// Server is what Serve serves: a Handler, or a Current that may be replaced.
type Server interface {
	http.Handler

	// Drain makes the server not ready, and returns when the delay has passed and no call is under way, or when the
	// context ends. Requests that still come are answered.
	Drain(ctx context.Context, delay time.Duration)
}

var (
	_ Server = (*Handler)(nil)
	_ Server = (*Current)(nil)
)

// Serve answers on a listener until the context is done. Then readiness goes first, calls under way are
// finished, and only what is left after the timeout is cut off (R-HOST-9). It closes the listener. Its
// error is one of the listener.
func Serve(ctx context.Context, listener net.Listener, handler Server, options ServeOptions) error {
	options.DrainTimeout = cmp.Or(options.DrainTimeout, DefaultDrain)
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	server := NewHTTPServer(handler, options.Logger)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	options.Logger.Info("draining", "delay", options.DrainDelay, "timeout", options.DrainTimeout)
	// ctx has ended, so it cannot bound the draining.
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.DrainTimeout)
	defer cancel()
	// Connections are not closed here, but by the answers of a server that drains: a request may be on its way on one.
	handler.Drain(draining, options.DrainDelay)
	if err := server.Shutdown(draining); err != nil {
		options.Logger.Warn("requests were cut off", "reason", err)
		// Nothing is left to be done about an error here.
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	return nil
}

// Drain does what Server says.
func (h *Handler) Drain(ctx context.Context, delay time.Duration) {
	h.readiness.draining.Store(true)
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return
		}
	}
	// Shutdown waits for what is left when the time has run out.
	h.inFlight.Wait(ctx)
}

// NewHTTPServer makes a server whose limits bound what a slow client can hold: 10 s for headers of up to 32 KiB, 60 s for an
// answer, 120 s between requests. What goes wrong on connections is logged at debug level.
func NewHTTPServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerWithin,
		WriteTimeout:      answeredWithin,
		IdleTimeout:       idleFor,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}
