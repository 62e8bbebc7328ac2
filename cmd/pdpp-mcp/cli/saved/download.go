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

// mostAttempts bounds how often one run tries to complete a download whose connection breaks.
const mostAttempts = 4

// Download saves the answer to a request. A file gets its name only when it is complete and its digest is right. A partial
// download stays beside it for the next run, if the blob's id has a digest by which that run can check the whole.
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
	// complete reports whether all bytes are there. resume returns where to continue.
	complete() bool
	resume() rs.Resume
	// begin prepares for an answer, which starts at the offset of resume or at 0.
	begin(opened *rs.Download) error
	io.Writer
	// finish checks the whole and names the file.
	finish() error
	// leave keeps a partial download for another run.
	leave() error
}

// download reads until the sink is complete. It continues a broken download, with at most mostAttempts attempts in all.
func download(ctx context.Context, opener rs.Opener, request rs.Request, target sink, progress *progress) error {
	for attempt := 1; !target.complete(); attempt++ {
		before := target.resume().Offset
		err := downloadPart(ctx, opener, request, target, progress)
		if err == nil {
			break
		}
		_, brokeOff := errors.AsType[*rs.Failure](err)
		if !brokeOff || target.resume().Offset == before || attempt == mostAttempts || ctx.Err() != nil {
			return err
		}
	}
	return target.finish()
}

func downloadPart(ctx context.Context, opener rs.Opener, request rs.Request, target sink, progress *progress) error {
	opened, err := opener.Open(ctx, request, target.resume())
	refused, ok := errors.AsType[*rs.Error](err)
	if ok && refused.Status == http.StatusRequestedRangeNotSatisfiable && target.resume().Offset > 0 {
		opened, err = opener.Open(ctx, request, rs.Resume{}) // the partial file is not a beginning of this blob
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
