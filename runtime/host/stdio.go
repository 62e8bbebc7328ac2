package host

import (
	"context"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// goodbye is how long a server that ends waits: for the answer about its credential, so that its exit
// code does not depend on timing, and for requests under way when its context ends.
const goodbye = 2 * time.Second

// Streams are the input and output of a local server.
type Streams = toolcall.Streams

// Local is what a local server reads with: an Admission, or several.
type Local interface {
	// Begin asks beside the handshake what is asked before the first request.
	Begin()

	// Environment gives what one request may use, and asks for no bearer of an unknown kind before it is used.
	Environment(ctx context.Context) (tool.Env, error)

	// Refused is closed when the resource server has reported a bearer of a kind that must not be used (R-STDIO-3).
	Refused() <-chan struct{}

	// Settle waits for what was asked about bearers until the context ends, and gives the refusal if there is one.
	Settle(ctx context.Context) *Refusal
}

// ServeLocal serves one session over newline-delimited JSON. It ends without an error when the input ends or the context is
// done, with a *Refusal when a resource server reports a bearer as anything but a client token, and with another error when the
// session broke. When the input ends, requests under way are still answered.
func ServeLocal(ctx context.Context, surface tool.Surface, options Options, local Local, streams Streams) error {
	local.Begin()
	err := serveSession(ctx, surface, options, local.Environment, streams, local.Refused())
	if ctx.Err() != nil {
		return nil
	}
	waiting, stop := context.WithTimeout(ctx, goodbye)
	defer stop()
	if refusal := local.Settle(waiting); refusal != nil {
		return refusal
	}
	return err
}

// ServeSession serves one session over newline-delimited JSON, whose calls read what the environment gives them. It ends without
// an error when the input ends or the context is done. When the input ends, requests under way are still answered.
func ServeSession(ctx context.Context, surface tool.Surface, options Options, environment toolcall.Environment, streams Streams) error {
	return serveSession(ctx, surface, options, environment, streams, nil)
}

// serveSession is ServeSession, and ends the session with a refusal of its credential too.
func serveSession(ctx context.Context, surface tool.Surface, options Options, environment toolcall.Environment, streams Streams, refused <-chan struct{}) error {
	lifetime, end := context.WithCancel(ctx)
	defer end()
	runner := options.newRunner(surface, nil, environment)
	served := toolcall.NewSession(lifetime, runner, options.identity(), options.callTimeout()+goodbye, streams)
	sdk, err := newServer(surface, options.identity(), runner, refuseCall).Connect(lifetime, served, nil)
	if err != nil {
		return fmt.Errorf("the MCP session could not begin: %w", err)
	}
	served.Serve(sdk)
	ended := make(chan error, 1)
	go func() { ended <- sdk.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("the MCP session broke: %w", err)
		}
		return nil
	case <-refused:
		// Calls that waited for the answer about the bearer get its refusal.
		served.Wait(ctx, goodbye)
	case <-ctx.Done():
		served.Wait(context.WithoutCancel(ctx), goodbye)
	}
	_ = served.Close() // an error says that the other side has gone, which is what closing is for
	select {
	case <-ended:
	case <-time.After(goodbye):
	}
	return nil
}
