package host

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// LongestLine bounds one message on standard input, in bytes without its line end (interfaces.md,
// Limits). A longer one is answered with a JSON-RPC error and skipped.
const LongestLine = 4 << 20

// goodbye is how long a server that ends waits: for the answer about its credential, so that its exit
// code does not depend on who was faster, and for requests under way when it was told to stop.
const goodbye = 2 * time.Second

// Streams are what a local server talks through. Only MCP messages are written to Out (R-STDIO-4).
type Streams struct {
	In  io.ReadCloser
	Out io.Writer
}

// ServeStdio serves one session over newline-delimited JSON with one bearer. It ends without an error
// when the input ends or the context is done, with a *Refusal when the resource server reports the
// bearer as anything but a client token, and with another error when the session broke. When the
// input ends, requests under way are still answered.
func ServeStdio(ctx context.Context, surface tool.Surface, options Options, reader rs.Reader, streams Streams) error {
	lifetime, end := context.WithCancel(ctx)
	defer end()
	admission := newAdmission(lifetime, reader)
	admission.ask()

	kept := &standIns{}
	server := newServer(surface, options, admission.environment, func(*mcp.RequestExtra) *standIns { return kept })
	out := &lineWriter{destination: streams.Out, kept: kept}
	calls := newLocalCalls(lifetime, newPlainCalls(surface, newCaller(options, admission.environment)), out)
	server.AddReceivingMiddleware(calls.middleware)
	transport := newStdioTransport(streams.In, out, calls, options)
	session, err := server.Connect(lifetime, transport, nil)
	if err != nil {
		return fmt.Errorf("the MCP session could not begin: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()

	select {
	case err = <-ended:
	case <-admission.refused:
		// Calls that waited for the bearer are told why they get nothing.
		transport.connection.drain(ctx, goodbye)
		waitBriefly(ctx, calls)
		closeSession(session)
	case <-ctx.Done():
		end()
		waitBriefly(context.WithoutCancel(ctx), calls)
		closeSession(session)
		return nil
	}
	waiting, stop := context.WithTimeout(ctx, goodbye)
	defer stop()
	if refusal := admission.settle(waiting); refusal != nil {
		return refusal
	}
	if err != nil {
		return fmt.Errorf("the MCP session broke: %w", err)
	}
	return nil
}

// waitBriefly lets plain calls under way finish.
func waitBriefly(ctx context.Context, calls *localCalls) {
	ctx, stop := context.WithTimeout(ctx, goodbye)
	defer stop()
	calls.wait(ctx)
}

// closeSession lets requests under way finish, for a short while: the process is about to end.
func closeSession(session *mcp.ServerSession) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		// An error here says that the other side has gone, which is what closing is for.
		_ = session.Close()
	}()
	select {
	case <-closed:
	case <-time.After(goodbye):
	}
}

func newStdioTransport(in io.ReadCloser, out *lineWriter, calls *localCalls, options Options) *drainingTransport {
	return &drainingTransport{atMost: options.callTimeout() + goodbye, inner: &mcp.IOTransport{
		Reader: newLineReader(in, out, calls),
		Writer: out,
		// The line reader keeps the limit and goes on after a line that is too long; the SDK would end
		// the session. Its own limit also counts what it has buffered of the next lines.
		MaxLineLength: -1,
	}}
}
