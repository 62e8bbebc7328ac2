package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// LongestLine bounds one message on standard input, in bytes without its line end (interfaces.md,
// Limits). A longer one is answered with a JSON-RPC error and skipped.
const LongestLine = 4 << 20

// readAtOnce is how many bytes of the input are read with one system call at most.
const readAtOnce = 64 << 10

// goodbye is how long a server that ends waits: for the answer about its credential, so that its exit
// code does not depend on timing, and for requests under way when its context ends.
const goodbye = 2 * time.Second

// Streams are the input and output of a local server. Only MCP messages are written to Out (R-STDIO-4).
type Streams struct {
	In  io.ReadCloser
	Out io.Writer
}

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
func ServeSession(ctx context.Context, surface tool.Surface, options Options, environment Environment, streams Streams) error {
	return serveSession(ctx, surface, options, environment, streams, nil)
}

// serveSession is ServeSession, and ends the session with a refusal of its credential too.
func serveSession(ctx context.Context, surface tool.Surface, options Options, environment Environment, streams Streams, refused <-chan struct{}) error {
	lifetime, end := context.WithCancel(ctx)
	defer end()
	calls := newToolCalls(surface, options, environment)
	served := newSession(lifetime, calls, options.identity(), options.callTimeout()+goodbye, streams)
	sdk, err := newServer(surface, options.identity(), calls, calls.refuseCall).Connect(lifetime, served, nil)
	if err != nil {
		return fmt.Errorf("the MCP session could not begin: %w", err)
	}
	served.sdk = sdk
	go served.read(bufio.NewReaderSize(streams.In, readAtOnce))
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
		served.wait(ctx, goodbye)
	case <-ctx.Done():
		served.wait(context.WithoutCancel(ctx), goodbye)
	}
	_ = served.Close() // an error says that the other side has gone, which is what closing is for
	select {
	case <-ended:
	case <-time.After(goodbye):
	}
	return nil
}

var errLineTooLong = errors.New("line too long")

// nextLine reads one line, which is the caller's to keep. A line beyond the limit is skipped to its end. An error can come
// with the last line.
func nextLine(source *bufio.Reader) ([]byte, error) {
	var line []byte
	isTooLong := false
	for {
		part, err := source.ReadSlice('\n')
		if len(line)+len(bytes.TrimRight(part, "\r\n")) > LongestLine {
			isTooLong, line = true, nil
		}
		if !isTooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case isTooLong:
			return nil, errLineTooLong
		default:
			return line, err
		}
	}
}
