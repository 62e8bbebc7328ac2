package saved

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// maxAttempts bounds how often one run continues a download after the connection broke.
const maxAttempts = 4

// download counts, digests and writes the bytes of a blob.
type download struct {
	out      *Output
	expected string // SHA-256 in hexadecimal; empty if unknown
	digest   hash.Hash
	offset   int64
	size     int64 // as announced; -1 if unknown
	etag     string

	line  *invocation.Line // shows the progress
	shown time.Time
}

// Download saves the response to a request. If the blob's id has a digest, a later run can continue an interrupted
// download. On standard output, a wrong digest only changes the exit code.
func (t *Target) Download(ctx context.Context, opener rs.Opener, request rs.Request) error {
	d := &download{expected: blob.DigestIn(path.Base(string(request.Path))), digest: sha256.New(), size: -1, line: invocation.NewLine(t.Terminal.Err)}
	defer d.line.End()
	if err := d.open(ctx, t); err != nil {
		return err
	}
	if err := d.run(ctx, opener, request); err != nil {
		d.show()
		return errors.Join(err, d.abort())
	}
	d.show()
	d.line.End()
	if t.isDefault {
		fmt.Fprintln(t.Terminal.Out, t.name)
	}
	return nil
}

// open opens the output. If there is a digest to verify the whole file, it continues the partial file of an earlier
// run.
func (d *download) open(ctx context.Context, target *Target) (err error) {
	switch {
	case !target.IsFile():
		d.out = &Output{Writer: pipe{ctx, target.Terminal.Out}}
		return nil
	case target.Check() != nil:
		return target.Check()
	case d.expected == "":
		d.out, err = target.Open()
		return err
	}
	if d.out, err = target.openResumable(d.expected); err != nil {
		return err
	}
	if d.offset, err = io.Copy(d.digest, d.out.file); err != nil {
		return fmt.Errorf("read the partial file of an earlier run: %w", errors.Join(err, d.out.file.Close()))
	}
	return nil
}

// run reads until the file is complete, and resumes after the connection broke.
func (d *download) run(ctx context.Context, opener rs.Opener, request rs.Request) error {
	for attempt := 1; !d.isComplete(); attempt++ {
		start := d.resume().Offset
		err := d.readPart(ctx, opener, request)
		if err == nil {
			break
		}
		_, isBroken := errors.AsType[*rs.Failure](err)
		if !isBroken || d.resume().Offset == start || attempt == maxAttempts || ctx.Err() != nil {
			return err
		}
	}
	if err := d.check(); err != nil {
		d.offset = 0 // no later run can continue wrong bytes
		return err
	}
	return d.out.Publish()
}

func (d *download) readPart(ctx context.Context, opener rs.Opener, request rs.Request) error {
	response, err := opener.Open(ctx, request, d.resume())
	refused, ok := errors.AsType[*rs.Error](err)
	if ok && refused.Status == http.StatusRequestedRangeNotSatisfiable && d.resume().Offset > 0 {
		response, err = opener.Open(ctx, request, rs.Resume{}) // the partial file does not belong to this blob
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.Offset == 0 {
		d.digest.Reset()
		d.offset = 0
		if err := d.out.restart(); err != nil {
			return fmt.Errorf("restart the download: %w", err)
		}
	}
	d.size, d.etag = response.Size, response.ETag
	_, err = io.CopyBuffer(d, response.Body, make([]byte, 256<<10))
	return err
}

// Write writes bytes and shows their number up to ten times a second.
func (d *download) Write(bytes []byte) (int, error) {
	count, err := d.out.Write(bytes)
	d.offset += int64(count)
	_, _ = d.digest.Write(bytes[:count]) // never fails
	if now := time.Now(); now.Sub(d.shown) >= 100*time.Millisecond {
		d.shown = now
		d.show()
	}
	return count, err
}

func (d *download) show() {
	if d.size > 0 {
		d.line.Show(fmt.Sprintf("%d of %d bytes (%d %%)", d.offset, d.size, 100*d.offset/d.size))
		return
	}
	d.line.Show(fmt.Sprintf("%d bytes", d.offset))
}

func (d *download) sum() string { return hex.EncodeToString(d.digest.Sum(nil)) }

// resume returns the offset to continue at. It is 0 unless a digest or an ETag can prove that the parts belong
// together.
func (d *download) resume() rs.Resume {
	if d.out.file == nil || d.expected == "" && d.etag == "" {
		return rs.Resume{}
	}
	return rs.Resume{Offset: d.offset, ETag: d.etag}
}

// isComplete reports whether the file has the expected digest.
func (d *download) isComplete() bool {
	return d.out.file != nil && d.expected != "" && d.sum() == d.expected
}

// check returns an error unless the bytes have the announced size and the expected digest.
func (d *download) check() error {
	switch {
	case d.size >= 0 && d.offset != d.size:
		return invocation.Failf("the provider sent %d of %d bytes; try again", d.offset, d.size)
	case d.expected != "" && d.sum() != d.expected:
		return invocation.Failf("the bytes have the digest %s, but the id names %s; nothing was kept, try again", d.sum(), d.expected)
	}
	return nil
}

// abort closes the partial file. It keeps the file only for a later run that can continue it.
func (d *download) abort() error {
	if d.out.file != nil && d.offset > 0 && d.expected != "" {
		return d.out.file.Close()
	}
	return d.out.remove()
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
