package host

import (
	"context"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// shutdownTimeout limits the wait for running requests, and for the kind of the credential, which decides the exit
// code.
const shutdownTimeout = 2 * time.Second

// Streams are the input and output of a local server.
type Streams = toolcall.Streams

// Local is the credential of a local server: an admission.Admission, or a membership.Membership.
type Local interface {
	// Begin asks for the kind of the bearer, concurrently with the handshake.
	Begin()

	// Environment is a toolcall.Environment. It waits until the kind of the bearer is known.
	Environment(ctx context.Context) (tool.Env, error)

	// Refused returns a channel that is closed if a bearer must not be used (R-STDIO-3).
	Refused() <-chan struct{}

	// Settle waits for pending admissions until the context ends. It returns the refusal, if any.
	Settle(ctx context.Context) *admission.Refusal
}

// ServeLocal serves one session over newline-delimited JSON. It returns nil when the input ends or the context is done,
// an *admission.Refusal if a bearer is not a client token, and another error if the session failed. After the input has
// ended, running requests are still answered.
func ServeLocal(ctx context.Context, surface tool.Surface, options Options, local Local, streams Streams) error {
	local.Begin()
	err := serveSession(ctx, surface, options, local.Environment, streams, local.Refused())
	if ctx.Err() != nil {
		return nil
	}
	waiting, stop := context.WithTimeout(ctx, shutdownTimeout)
	defer stop()
	if refusal := local.Settle(waiting); refusal != nil {
		return refusal
	}
	return err
}

// ServeSession is ServeLocal for an environment that needs no admission.
func ServeSession(ctx context.Context, surface tool.Surface, options Options, environment toolcall.Environment, streams Streams) error {
	return serveSession(ctx, surface, options, environment, streams, nil)
}

// serveSession also ends the session when refused is closed.
func serveSession(ctx context.Context, surface tool.Surface, options Options, environment toolcall.Environment, streams Streams, refused <-chan struct{}) error {
	lifetime, end := context.WithCancel(ctx)
	defer end()
	runner := options.newRunner(surface, environment)
	served := toolcall.NewSession(lifetime, runner, options.identity(), options.callTimeout()+shutdownTimeout, streams)
	sdk, err := newServer(surface, options.identity(), runner, refuseCall).Connect(lifetime, served, nil)
	if err != nil {
		return fmt.Errorf("start the MCP session: %w", err)
	}
	served.Serve(sdk)
	ended := make(chan error, 1)
	go func() { ended <- sdk.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("the MCP session failed: %w", err)
		}
		return nil
	case <-refused:
		// Calls that wait for the kind of the bearer get its refusal.
		served.Wait(ctx, shutdownTimeout)
	case <-ctx.Done():
		served.Wait(context.WithoutCancel(ctx), shutdownTimeout)
	}
	_ = served.Close() // it fails if the client has disconnected
	select {
	case <-ended:
	case <-time.After(shutdownTimeout):
	}
	return nil
}
