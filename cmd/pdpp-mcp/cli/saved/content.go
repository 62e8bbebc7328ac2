package saved

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"regexp"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// addressed is the id of a blob that is named by the SHA-256 of its bytes.
var addressed = regexp.MustCompile(`/blob_sha256_([0-9a-f]{64})$`)

// digestOf is the digest that a request's path names, in hexadecimal; empty when it names none.
func digestOf(request rs.Request) string {
	if found := addressed.FindStringSubmatch(string(request.Path)); found != nil {
		return found[1]
	}
	return ""
}

// mismatchError is a download that is not what was asked for.
type mismatchError struct{ message string }

func (e *mismatchError) Error() string { return e.message }

// ExitCode is that of an answer that cannot be used.
func (e *mismatchError) ExitCode() int { return invocation.ExitToolError }

// content counts and digests what was written.
type content struct {
	wanted string // digest; empty: unknown
	digest hash.Hash
	offset int64
	size   int64 // announced; -1: unknown
	etag   string
}

func newContent(wanted string) content {
	return content{wanted: wanted, digest: sha256.New(), size: -1}
}

func (c *content) add(part []byte) {
	c.digest.Write(part)
	c.offset += int64(len(part))
}

func (c *content) opened(opened *rs.Download) {
	if opened.Offset == 0 {
		c.digest.Reset()
		c.offset = 0
	}
	c.size, c.etag = opened.Size, opened.ETag
}

func (c *content) sum() string { return hex.EncodeToString(c.digest.Sum(nil)) }

// resume asks to go on only where something will tell whether the parts belong together.
func (c *content) resume() rs.Resume {
	if c.wanted == "" && c.etag == "" {
		return rs.Resume{}
	}
	return rs.Resume{Offset: c.offset, ETag: c.etag}
}

// complete reports whether the bytes are those that the id names.
func (c *content) complete() bool { return c.wanted != "" && c.sum() == c.wanted }

// check compares with what was announced and with what the id says.
func (c *content) check() error {
	switch {
	case c.size >= 0 && c.offset != c.size:
		return &mismatchError{fmt.Sprintf("%d bytes came, and %d were announced; try again", c.offset, c.size)}
	case c.wanted != "" && c.sum() != c.wanted:
		return &mismatchError{fmt.Sprintf("the bytes have the digest %s, and the id names %s; nothing was kept, try again", c.sum(), c.wanted)}
	}
	return nil
}

// stream writes to standard output, where nothing can be taken back: a wrong digest shows in the exit code.
// Nobody may be reading there, so that a write ends with its context too.
type stream struct {
	content
	ctx context.Context //nolint:containedctx // of the one download that is written
	out io.Writer
}

func (s *stream) begin(opened *rs.Download) error {
	if s.offset > 0 && opened.Offset == 0 {
		return &mismatchError{"the connection broke, and the provider cannot go on where it did; write to a file with -o, or try again"}
	}
	s.opened(opened)
	return nil
}

func (s *stream) Write(part []byte) (int, error) {
	written := make(chan error, 1)
	go func() {
		_, err := s.out.Write(part)
		written <- err
	}()
	select {
	case err := <-written:
		if err != nil {
			return 0, err
		}
		s.add(part)
		return len(part), nil
	case <-s.ctx.Done():
		return 0, invocation.ErrInterrupted // and part is written to no more: the download is at its end
	}
}

func (s *stream) finish() error { return s.check() }

func (s *stream) leave() error { return nil }
