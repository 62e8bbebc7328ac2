package saved

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// content counts and digests the bytes that were written.
type content struct {
	wanted string // SHA-256 in hexadecimal; empty if unknown
	digest hash.Hash
	offset int64
	size   int64 // announced, in bytes; -1 if unknown
	etag   string
}

func newContent(wanted string) content {
	return content{wanted: wanted, digest: sha256.New(), size: -1}
}

func (c *content) add(bytes []byte) {
	c.digest.Write(bytes)
	c.offset += int64(len(bytes))
}

func (c *content) opened(opened *rs.Download) {
	if opened.Offset == 0 {
		c.digest.Reset()
		c.offset = 0
	}
	c.size, c.etag = opened.Size, opened.ETag
}

func (c *content) sum() string { return hex.EncodeToString(c.digest.Sum(nil)) }

// resume returns the offset to continue at. It is 0 unless a digest or a validator can prove that the parts belong together.
func (c *content) resume() rs.Resume {
	if c.wanted == "" && c.etag == "" {
		return rs.Resume{}
	}
	return rs.Resume{Offset: c.offset, ETag: c.etag}
}

// complete reports whether the digest of the bytes is the one in the id.
func (c *content) complete() bool { return c.wanted != "" && c.sum() == c.wanted }

// check compares the bytes with the announced size and with the digest in the id.
func (c *content) check() error {
	switch {
	case c.size >= 0 && c.offset != c.size:
		return invocation.Failf("the provider sent %d of %d bytes; try again", c.offset, c.size)
	case c.wanted != "" && c.sum() != c.wanted:
		return invocation.Failf("the bytes have the digest %s, but the id names %s; nothing was kept, try again", c.sum(), c.wanted)
	}
	return nil
}

// stream writes a download to standard output, where bytes cannot be taken back: a wrong digest only changes the exit code.
// A write also ends with the context, because the reader of a pipe may have stopped reading.
type stream struct {
	content
	ctx context.Context //nolint:containedctx // ends with the one download
	out io.Writer
}

func (s *stream) begin(opened *rs.Download) error {
	if s.offset > 0 && opened.Offset == 0 {
		return invocation.Failf("the connection broke, and the provider cannot resume the download; write to a file with -o, or try again")
	}
	s.opened(opened)
	return nil
}

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
		return 0, invocation.ErrInterrupted // the download has ended; bytes are not used again
	}
}

func (s *stream) finish() error { return s.check() }

func (s *stream) leave() error { return nil }
