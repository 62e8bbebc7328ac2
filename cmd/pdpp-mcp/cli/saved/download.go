package saved

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// maxAttempts bounds how often one run continues a download after the connection broke.
const maxAttempts = 4

// Download saves the response to a request. If the blob's id has a digest, a later run can continue an interrupted download.
func (t *Target) Download(ctx context.Context, opener rs.Opener, request rs.Request) error {
	digest := blob.DigestIn(path.Base(string(request.Path)))
	progress := &progress{line: invocation.NewLine(t.Terminal.Err)}
	defer progress.end()
	if t.name == standardOutput {
		return t.print(ctx, opener, request, newContent(digest), progress)
	}
	out, err := newFile(t, digest)
	if err != nil {
		return err
	}
	if err := out.download(ctx, opener, request, progress); err != nil {
		return errors.Join(err, out.abort())
	}
	if t.isDefault {
		fmt.Fprintln(t.Terminal.Out, t.name)
	}
	return nil
}

// print writes a download to standard output, where a wrong digest only changes the exit code.
func (t *Target) print(ctx context.Context, opener rs.Opener, request rs.Request, c content, progress *progress) error {
	response, err := opener.Open(ctx, request, rs.Resume{})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	c.start(response)
	progress.received, progress.total = response.Offset, response.Size
	if _, err := io.Copy(io.MultiWriter(pipe{ctx, t.Terminal.Out}, &c, progress), response.Body); err != nil {
		return err
	}
	return c.check()
}

// pipe is a writer whose Write returns when the context ends, because the reader of a pipe may have stopped reading.
type pipe struct {
	ctx context.Context //nolint:containedctx // ends with the one download
	out io.Writer
}

func (p pipe) Write(bytes []byte) (int, error) {
	written := make(chan error, 1)
	go func() {
		_, err := p.out.Write(bytes)
		written <- err
	}()
	select {
	case err := <-written:
		return len(bytes), err
	case <-p.ctx.Done():
		return 0, invocation.ErrInterrupted // the download ends, so bytes are not used again
	}
}

// download reads until the file is complete, and resumes after the connection broke.
func (f *file) download(ctx context.Context, opener rs.Opener, request rs.Request, progress *progress) error {
	for attempt := 1; !f.isComplete(); attempt++ {
		start := f.resume().Offset
		err := f.downloadPart(ctx, opener, request, progress)
		if err == nil {
			break
		}
		_, isBroken := errors.AsType[*rs.Failure](err)
		if !isBroken || f.resume().Offset == start || attempt == maxAttempts || ctx.Err() != nil {
			return err
		}
	}
	return f.finish()
}

func (f *file) downloadPart(ctx context.Context, opener rs.Opener, request rs.Request, progress *progress) error {
	response, err := opener.Open(ctx, request, f.resume())
	refused, ok := errors.AsType[*rs.Error](err)
	if ok && refused.Status == http.StatusRequestedRangeNotSatisfiable && f.resume().Offset > 0 {
		response, err = opener.Open(ctx, request, rs.Resume{}) // the partial file does not belong to this blob
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := f.begin(response); err != nil {
		return err
	}
	progress.received, progress.total = response.Offset, response.Size
	_, err = io.CopyBuffer(io.MultiWriter(f, progress), response.Body, make([]byte, 256<<10))
	return err
}

type progress struct {
	line            *invocation.Line
	received, total int64 // bytes; total is -1 if unknown
	shown           time.Time
}

// Write counts bytes and shows the count up to ten times a second.
func (p *progress) Write(bytes []byte) (int, error) {
	p.received += int64(len(bytes))
	if now := time.Now(); now.Sub(p.shown) >= 100*time.Millisecond {
		p.shown = now
		p.show()
	}
	return len(bytes), nil
}

func (p *progress) show() {
	if p.total > 0 {
		p.line.Show(fmt.Sprintf("%d of %d bytes (%d %%)", p.received, p.total, 100*p.received/p.total))
		return
	}
	p.line.Show(fmt.Sprintf("%d bytes", p.received))
}

func (p *progress) end() {
	p.show()
	p.line.End()
}
