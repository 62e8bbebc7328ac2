package saved

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// maxAttempts is how often one run tries to complete a download whose connection breaks.
const maxAttempts = 4

// Download saves the answer to a request. A file gets its name when it is complete and its digest is right. If the blob's id has a
// digest, a partial download stays next to it for the next run.
func (t *Target) Download(ctx context.Context, opener rs.Opener, request rs.Request) error {
	digest := blob.DigestIn(path.Base(string(request.Path)))
	var target sink = &stream{newContent(digest), ctx, t.Terminal.Out}
	if t.name != standardOutput {
		file, err := newFile(t, digest)
		if err != nil {
			return err
		}
		target = file
	}
	progress := &progress{line: invocation.NewLine(t.Terminal.Err)}
	defer progress.end()
	if err := download(ctx, opener, request, target, progress); err != nil {
		return errors.Join(err, target.leave())
	}
	return nil
}

// sink receives the bytes of a download.
type sink interface {
	complete() bool
	resume() rs.Resume
	begin(opened *rs.Download) error // the answer starts at the offset of resume or at 0
	io.Writer
	finish() error // verifies and publishes
	leave() error  // ends an incomplete download
}

// download reads until the sink is complete. It resumes a broken download.
func download(ctx context.Context, opener rs.Opener, request rs.Request, target sink, progress *progress) error {
	for attempt := 1; !target.complete(); attempt++ {
		before := target.resume().Offset
		err := downloadPart(ctx, opener, request, target, progress)
		if err == nil {
			break
		}
		_, isBroken := errors.AsType[*rs.Failure](err)
		if !isBroken || target.resume().Offset == before || attempt == maxAttempts || ctx.Err() != nil {
			return err
		}
	}
	return target.finish()
}

func downloadPart(ctx context.Context, opener rs.Opener, request rs.Request, target sink, progress *progress) error {
	opened, err := opener.Open(ctx, request, target.resume())
	refused, ok := errors.AsType[*rs.Error](err)
	if ok && refused.Status == http.StatusRequestedRangeNotSatisfiable && target.resume().Offset > 0 {
		opened, err = opener.Open(ctx, request, rs.Resume{}) // the partial file does not belong to this blob
	}
	if err != nil {
		return err
	}
	defer opened.Body.Close()
	if err := target.begin(opened); err != nil {
		return err
	}
	progress.begin(opened.Offset, opened.Size)
	_, err = io.CopyBuffer(io.MultiWriter(target, progress), opened.Body, make([]byte, 256<<10))
	return err
}
