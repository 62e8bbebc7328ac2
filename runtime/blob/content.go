package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sync/semaphore"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Bounds of what is read of a blob, in bytes.
const (
	MaxText     = 16 << 20 // of a file that is read as text (R-BLOB-2)
	MaxImage    = 1 << 20  // of a picture that is shown (R-BLOB-3)
	MaxResource = 4 << 20  // of a file that a host reads as a resource (R-BLOB-4)
)

// roomMost bounds the bytes of blobs that a process holds at the same time, of all callers. Who finds no room waits.
const roomMost = 4 * MaxText

var room = semaphore.NewWeighted(roomMost)

// Content is the bytes of a blob, all of them. Their number is the one announced, and their digest the one that the reference
// names, if any.
type Content struct {
	*rs.Download // whose body is read
	Data         []byte
}

// Read reads a whole blob through its reader, and checks it. At most so many bytes are read; of a larger one the error
// is a *tool.Error, blob_too_large, before anything is read when the reference or the answer says so. Other errors are
// those of rs.Opener and, when the bytes are not those that were promised, an *rs.Failure. Forget gives back the room that the
// bytes take, and is never nil.
func Read(ctx context.Context, opener rs.Opener, asked rs.Request, reference Reference, most int64) (content *Content, forget func(), err error) {
	forget = func() {}
	if reference.Size > most {
		return nil, forget, tooLarge(reference.Size, most)
	}
	held := most
	if reference.Size >= 0 {
		held = reference.Size
	}
	if err := room.Acquire(ctx, held); err != nil {
		return nil, forget, &rs.Failure{
			Reason: rs.Timeout, Message: "the call ended while other files were read", NextStep: "try again", Cause: err,
		}
	}
	forget = func() { room.Release(held) }
	download, err := opener.Open(ctx, asked, rs.Resume{})
	if err != nil {
		return nil, forget, err
	}
	defer download.Body.Close()
	switch {
	case download.Size > most:
		return nil, forget, tooLarge(download.Size, most)
	case reference.Size >= 0 && download.Size >= 0 && download.Size != reference.Size:
		return nil, forget, reference.missized(download, download.Size)
	}
	data, err := download.ReadAll(held)
	if err != nil {
		return nil, forget, reference.unread(download, held, err)
	}
	return &Content{download, data}, forget, reference.check(download, data)
}

// Response is an answer that was made of the bytes. Its request is that for the record.
func (c *Content) Response(record *rs.Response) *rs.Response {
	return &rs.Response{Status: http.StatusOK, RequestID: c.RequestID, URL: c.URL, Request: record.Request}
}

// Checked is an error when bytes that are passed on as they are hold a bearer, which cannot be taken out of them (R-ERR-6).
func (c *Content) Checked() error {
	if !bytes.Equal(c.Redact(c.Data), c.Data) {
		return c.Unusable("the file holds an access token of this call, so nothing of it is shown")
	}
	return nil
}

// unread is the error of a body that could not be read.
func (r Reference) unread(download *rs.Download, held int64, err error) error {
	var failure *rs.Failure
	switch {
	case !errors.As(err, &failure) || failure.Reason != rs.ResponseTooLarge:
		return err
	case r.Size >= 0:
		return r.missized(download, held+1)
	}
	return tooLarge(-1, held)
}

// check compares the bytes with the size and with every digest of the reference: the one in its id and the one in its own member.
func (r Reference) check(download *rs.Download, data []byte) error {
	hash := sha256.Sum256(data)
	sum := hex.EncodeToString(hash[:])
	differs := func(digest string) bool { return digest != "" && digest != sum }
	switch {
	case r.Size >= 0 && int64(len(data)) != r.Size:
		return r.missized(download, int64(len(data)))
	case differs(DigestIn(r.ID)) || differs(r.Digest):
		return download.Unusable("the file's bytes have another SHA-256 than the record says, so nothing of them is shown")
	}
	return nil
}

func (r Reference) missized(download *rs.Download, came int64) *rs.Failure {
	return download.Unusable(fmt.Sprintf("the file has %d bytes or more, and the record says %d, so nothing of it is shown", came, r.Size))
}

// tooLarge refuses a blob. A size below 0 is not known.
func tooLarge(size, most int64) *tool.Error {
	has := fmt.Sprintf("has more than the %d bytes", most)
	if size >= 0 {
		has = fmt.Sprintf("has %d bytes, more than the %d", size, most)
	}
	return &tool.Error{Code: tool.BlobTooLarge, Message: "the file " + has + " that are read here; pdpp-mcp blob saves it"}
}
