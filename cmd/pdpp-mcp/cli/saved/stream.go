package saved

import (
	"context"
	"io"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// stream writes a download to standard output, where a wrong digest only changes the exit code.
type stream struct {
	content
	ctx context.Context //nolint:containedctx // ends with the one download
	out io.Writer
}

func (s *stream) begin(response *rs.Download) error {
	if s.offset > 0 && response.Offset == 0 {
		return invocation.Failf("the connection broke, and the provider cannot resume the download; write to a file with -o, or try again")
	}
	s.start(response)
	return nil
}

// Write ends with the context, because the reader of a pipe may have stopped reading.
func (s *stream) Write(bytes []byte) (int, error) {
	written := make(chan error, 1)
	go func() {
		_, err := s.out.Write(bytes)
		written <- err
	}()
	select {
	case err := <-written:
		if err != nil {
			return 0, err
		}
		s.add(bytes)
		return len(bytes), nil
	case <-s.ctx.Done():
		return 0, invocation.ErrInterrupted // the download ends, so bytes are not used again
	}
}

func (s *stream) finish() error { return s.check() }

func (s *stream) abort() error { return nil }
