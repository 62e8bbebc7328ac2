package saved

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// file writes a download to a partial file.
type file struct {
	content
	part *part // nil after it was published
}

// newFile opens the partial file. If there is a digest to verify the whole file, it continues the partial file of an earlier run.
func newFile(target *Target, digest string) (*file, error) {
	if target.name == "" {
		return nil, invocation.Usagef("-o is missing; name the file to write, or - for standard output")
	}
	err := target.Check()
	if err != nil {
		return nil, err
	}
	f := &file{content: newContent(digest)}
	if digest == "" {
		f.part, err = target.newPart()
	} else {
		f.part, err = target.resumablePart(digest)
	}
	if err != nil {
		return nil, err
	}
	if f.offset, err = io.Copy(f.digest, f.part); err != nil {
		return nil, fmt.Errorf("read the partial file of an earlier run: %w", errors.Join(err, f.part.Close()))
	}
	return f, nil
}

func (f *file) begin(response *rs.Download) error {
	f.start(response)
	if response.Offset > 0 {
		return nil
	}
	_, err := f.part.Seek(0, io.SeekStart)
	if err = errors.Join(err, f.part.Truncate(0)); err != nil {
		return fmt.Errorf("restart the download: %w", err)
	}
	return nil
}

func (f *file) Write(bytes []byte) (int, error) {
	count, err := f.part.Write(bytes)
	_, _ = f.content.Write(bytes[:count]) // a digest never fails
	return count, err
}

// finish verifies and publishes the file. After a failure abort removes it, because no later run can continue wrong bytes.
func (f *file) finish() error {
	if err := f.check(); err != nil {
		f.offset = 0
		return err
	}
	complete := f.part
	f.part = nil
	return complete.publish()
}

// abort closes the partial file. It keeps the file only for a later run that can continue it.
func (f *file) abort() error {
	switch {
	case f.part == nil:
		return nil
	case f.offset == 0 || f.expected == "":
		return f.part.remove()
	}
	return f.part.Close()
}

// content counts and digests the bytes of a download.
type content struct {
	expected string // SHA-256 in hexadecimal; empty if unknown
	digest   hash.Hash
	offset   int64
	size     int64 // as announced; -1 if unknown
	etag     string
}

func newContent(expected string) content {
	return content{expected: expected, digest: sha256.New(), size: -1}
}

func (c *content) Write(bytes []byte) (int, error) {
	c.offset += int64(len(bytes))
	return c.digest.Write(bytes)
}

// start prepares for the bytes of a response, which begins at the offset of resume or at 0.
func (c *content) start(response *rs.Download) {
	if response.Offset == 0 {
		c.digest.Reset()
		c.offset = 0
	}
	c.size, c.etag = response.Size, response.ETag
}

func (c *content) sum() string { return hex.EncodeToString(c.digest.Sum(nil)) }

// resume returns the offset to continue at. It is 0 unless a digest or an ETag can prove that the parts belong together.
func (c *content) resume() rs.Resume {
	if c.expected == "" && c.etag == "" {
		return rs.Resume{}
	}
	return rs.Resume{Offset: c.offset, ETag: c.etag}
}

// isComplete reports whether the bytes have the expected digest.
func (c *content) isComplete() bool { return c.expected != "" && c.sum() == c.expected }

// check returns an error unless the bytes have the announced size and the expected digest.
func (c *content) check() error {
	switch {
	case c.size >= 0 && c.offset != c.size:
		return invocation.Failf("the provider sent %d of %d bytes; try again", c.offset, c.size)
	case c.expected != "" && c.sum() != c.expected:
		return invocation.Failf("the bytes have the digest %s, but the id names %s; nothing was kept, try again", c.sum(), c.expected)
	}
	return nil
}
