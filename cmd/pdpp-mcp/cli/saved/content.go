package saved

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

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

func (c *content) add(bytes []byte) {
	c.digest.Write(bytes)
	c.offset += int64(len(bytes))
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
