package saved

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// maxAttempts bounds how often one run continues a download after the connection broke.
const maxAttempts = 4

// Download saves the response to a request. If the blob's id has a digest, a later run can continue an interrupted download.
func (t *Target) Download(ctx context.Context, opener rs.Opener, request rs.Request) error {
	digest := blob.DigestIn(path.Base(string(request.Path)))
	var out sink = &stream{newContent(digest), ctx, t.Terminal.Out}
	if t.name != standardOutput {
		file, err := newFile(t, digest)
		if err != nil {
			return err
		}
		out = file
	}
	progress := &progress{line: invocation.NewLine(t.Terminal.Err)}
	defer progress.end()
	if err := download(ctx, opener, request, out, progress); err != nil {
		return errors.Join(err, out.abort())
	}
	if t.isDefault {
		fmt.Fprintln(t.Terminal.Out, t.name)
	}
	return nil
}

// sink receives the bytes of a download.
type sink interface {
	io.Writer
	isComplete() bool
	resume() rs.Resume
	begin(response *rs.Download) error
	finish() error // verifies and publishes
	abort() error  // ends an incomplete download
}

// download reads until the sink is complete, and resumes after the connection broke.
func download(ctx context.Context, opener rs.Opener, request rs.Request, out sink, progress *progress) error {
	for attempt := 1; !out.isComplete(); attempt++ {
		start := out.resume().Offset
		err := downloadPart(ctx, opener, request, out, progress)
		if err == nil {
			break
		}
		_, isBroken := errors.AsType[*rs.Failure](err)
		if !isBroken || out.resume().Offset == start || attempt == maxAttempts || ctx.Err() != nil {
			return err
		}
	}
	return out.finish()
}

func downloadPart(ctx context.Context, opener rs.Opener, request rs.Request, out sink, progress *progress) error {
	response, err := opener.Open(ctx, request, out.resume())
	refused, ok := errors.AsType[*rs.Error](err)
	if ok && refused.Status == http.StatusRequestedRangeNotSatisfiable && out.resume().Offset > 0 {
		response, err = opener.Open(ctx, request, rs.Resume{}) // the partial file does not belong to this blob
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := out.begin(response); err != nil {
		return err
	}
	progress.received, progress.total = response.Offset, response.Size
	_, err = io.CopyBuffer(io.MultiWriter(out, progress), response.Body, make([]byte, 256<<10))
	return err
}
