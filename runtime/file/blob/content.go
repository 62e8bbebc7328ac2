package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/fairshare"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Limits of a blob that is read, in bytes.
const (
	MaxText     = 16 << 20 // as text (R-BLOB-2)
	MaxImage    = 1 << 20  // as a picture (R-BLOB-3)
	MaxResource = 4 << 20  // as a resource (R-BLOB-4)
)

// held limits the bytes of all blobs that the process holds: 64 MiB, and 32 MiB for a caller. Further calls wait.
var held = fairshare.New(4*MaxText, 2*MaxText)

// Content is all bytes of a blob, of the announced size and digest.
type Content struct {
	*rs.Download // its body has been read
	Data         []byte
}

// Read reads a whole blob, and checks its size and digest. It returns a *tool.Error of code blob_too_large for more
// bytes than the limit, an *rs.Failure for bytes that differ from the announced size or digest, and otherwise the
// errors of rs.Opener. The caller must call release when it no longer needs the bytes. It is never nil. The memory for
// blobs is shared fairly between callers.
func Read(
	ctx context.Context, opener rs.Opener, caller string, asked rs.Request, reference Reference, limit int64,
) (content *Content, release func(), err error) {
	if reference.Size > limit {
		return nil, func() {}, tooLarge(reference.Size, limit)
	}
	size := limit
	if reference.Size >= 0 {
		size = reference.Size
	}
	release, err = held.Acquire(ctx, caller, size)
	if err != nil {
		return nil, func() {}, &rs.Failure{
			Reason: rs.Timeout, Message: "the call ended while other files were read", NextStep: "try again", Cause: err,
		}
	}
	download, err := opener.Open(ctx, asked, rs.Resume{})
	if err != nil {
		return nil, release, err
	}
	defer download.Body.Close()
	switch {
	case download.Size > limit:
		return nil, release, tooLarge(download.Size, limit)
	case reference.Size >= 0 && download.Size >= 0 && download.Size != reference.Size:
		return nil, release, reference.sizeError(download, download.Size)
	}
	data, err := download.ReadAll(size)
	if err != nil {
		return nil, release, reference.readError(download, size, err)
	}
	return &Content{download, data}, release, reference.check(download, data)
}

// Checked returns an error if the bytes hold a bearer, because it cannot be removed from bytes that are passed on
// unchanged (R-ERR-6).
func (c *Content) Checked() error {
	if !bytes.Equal(c.Redact(c.Data), c.Data) {
		return c.Unusable("the file holds an access token of this call, so it is not shown")
	}
	return nil
}

func (r Reference) readError(download *rs.Download, size int64, err error) error {
	var failure *rs.Failure
	switch {
	case !errors.As(err, &failure) || failure.Reason != rs.ResponseTooLarge:
		return err
	case r.Size >= 0:
		return r.sizeError(download, size+1)
	}
	return tooLarge(-1, size)
}

// check compares the bytes with the size and with every digest of the reference: the one in its id and the one in its
// own member.
func (r Reference) check(download *rs.Download, data []byte) error {
	hash := sha256.Sum256(data)
	sum := hex.EncodeToString(hash[:])
	differs := func(digest string) bool { return digest != "" && digest != sum }
	switch {
	case r.Size >= 0 && int64(len(data)) != r.Size:
		return r.sizeError(download, int64(len(data)))
	case differs(DigestIn(r.ID)) || differs(r.Digest):
		return download.Unusable("the file's SHA-256 differs from the record's, so it is not shown")
	}
	return nil
}

func (r Reference) sizeError(download *rs.Download, received int64) *rs.Failure {
	return download.Unusable(
		fmt.Sprintf("the file has %d bytes or more, but the record says %d, so it is not shown", received, r.Size))
}

// tooLarge returns the refusal of a blob. A negative size is unknown.
func tooLarge(size, limit int64) *tool.Error {
	has := fmt.Sprintf("has more than the %d bytes", limit)
	if size >= 0 {
		has = fmt.Sprintf("has %d bytes, more than the %d", size, limit)
	}
	return &tool.Error{Code: tool.BlobTooLarge, Message: "the file " + has + " that are read here; pdpp-mcp blob saves it"}
}
