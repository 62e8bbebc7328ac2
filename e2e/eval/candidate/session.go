package candidate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/eval/relay"
	"github.com/pdppmcp/pdpp-mcp/e2e/eval/transcript"
)

// session is a connection to the server of a task. Its calls may be read after close.
type session struct {
	*mcp.ClientSession

	calls []transcript.Call
	ended chan error
}

// connect starts the server of a task behind a relay in this process.
func connect(ctx context.Context, task Task) (*session, error) {
	s := &session{ended: make(chan error, 1)}
	fromClient, toRelay := io.Pipe()
	fromRelay, toClient := io.Pipe()
	passing := relay.Relay{Channel: task.Channel, Note: func(call transcript.Call) { s.calls = append(s.calls, call) }}
	go func() {
		err := passing.Run(ctx, fromClient, toClient, task.Server)
		_ = toClient.CloseWithError(errors.Join(err, io.EOF))
		s.ended <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "pdpp-eval", Version: "1"}, nil)
	connected, err := client.Connect(ctx, &mcp.IOTransport{Reader: fromRelay, Writer: toRelay, MaxLineLength: -1}, nil)
	if err != nil {
		_ = toRelay.Close()
		return nil, errors.Join(fmt.Errorf("connect to the server: %w", err), <-s.ended)
	}
	s.ClientSession = connected
	return s, nil
}

// close ends the session and the server, and waits for both.
func (s *session) close() error {
	_ = s.Close() // the relay reports how the server ended
	return <-s.ended
}
