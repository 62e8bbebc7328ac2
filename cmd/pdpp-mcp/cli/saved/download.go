// Package saved reads an answer of bytes into a file or to standard output, and goes on where an earlier run broke off.
package saved

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/spf13/pflag"
)

// mostAttempts bounds how often one run goes on with a download that broke off.
const mostAttempts = 4

// Target says where a download goes.
type Target struct {
	Terminal invocation.Terminal

	name  string // - is standard output
	force bool
}

// AddFlags adds the flags that name a file.
func (t *Target) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&t.name, "output", "o", "", "file to write; - is standard output (required)")
	flags.BoolVar(&t.force, "force", false, "write over a file that is there")
}

// Download saves the answer to a request. A file has its name when all of it is there and right, and not before. What came until
// the connection broke waits beside it for the next run, if that can tell whether the rest belongs to it.
func (t *Target) Download(ctx context.Context, client *rs.Client, request rs.Request) error {
	digest := digestOf(request)
	var target sink = &stream{newContent(digest), ctx, t.Terminal.Out}
	if t.name != "-" {
		file, err := newFile(t.name, t.force, digest)
		if err != nil {
			return err
		}
		target = file
	}
	progress := &progress{line: invocation.NewLine(t.Terminal.Err)}
	defer progress.end()
	if err := download(ctx, client, request, target, progress); err != nil {
		return errors.Join(err, target.leave())
	}
	return nil
}

// sink takes the bytes of a download.
type sink interface {
	// complete reports whether nothing is missing; resume is where to go on.
	complete() bool
	resume() rs.Resume
	// begin readies the sink for what the resource server sends; the offset is that of resume, or 0.
	begin(opened *rs.Download) error
	io.Writer
	// finish judges the whole, and gives it its name.
	finish() error
	// leave keeps what there is for another run.
	leave() error
}

// download reads until the sink is full, and goes on a few times where the connection broke.
func download(ctx context.Context, client *rs.Client, request rs.Request, target sink, progress *progress) error {
	for attempt := 1; !target.complete(); attempt++ {
		before := target.resume().Offset
		err := downloadPart(ctx, client, request, target, progress)
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

func downloadPart(ctx context.Context, client *rs.Client, request rs.Request, target sink, progress *progress) error {
	opened, err := client.Open(ctx, request, target.resume())
	refused, ok := errors.AsType[*rs.Error](err)
	if ok && refused.Status == http.StatusRequestedRangeNotSatisfiable && target.resume().Offset > 0 {
		opened, err = client.Open(ctx, request, rs.Resume{}) // what is there is not the beginning of it
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
