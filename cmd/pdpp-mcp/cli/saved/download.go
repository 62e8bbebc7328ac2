// Package saved reads an answer of bytes into a file or to standard output, and goes on where an earlier run broke off.
package saved

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// mostAttempts bounds how often one run goes on with a download that broke off.
const mostAttempts = 4

// sink takes the bytes of a download.
type sink interface {
	// complete tells that nothing is missing; resume is where to go on.
	complete() bool
	resume() rs.Resume
	// begin readies the sink for what the resource server sends; the offset is that of resume, or 0.
	begin(opened *rs.Download) error
	Write(part []byte) (int, error)
	// finish judges the whole, and gives it its name.
	finish() error
	// leave keeps what there is for another run.
	leave() error
}

func NewSink(ctx context.Context, out io.Writer, name string, force bool, digest string) (sink, error) {
	if name == "-" {
		return newStream(ctx, out, digest), nil
	}
	return newSavedFile(name, force, digest)
}

// Download reads until the sink is full, and goes on a few times where the connection broke.
func Download(ctx context.Context, client *rs.Client, request rs.Request, target sink, progress *byteProgress) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, target.leave())
		}
	}()
	if target.complete() {
		return target.finish()
	}
	for attempt := 1; ; attempt++ {
		before := target.resume().Offset
		err := downloadPart(ctx, client, request, target, progress)
		if err == nil {
			return target.finish()
		}
		var failure *rs.Failure
		moved := target.resume().Offset > before
		if !errors.As(err, &failure) || !moved || attempt == mostAttempts || ctx.Err() != nil {
			return err
		}
	}
}

func downloadPart(ctx context.Context, client *rs.Client, request rs.Request, target sink, progress *byteProgress) error {
	opened, err := client.Open(ctx, request, target.resume())
	var refused *rs.Error
	if errors.As(err, &refused) && refused.Status == http.StatusRequestedRangeNotSatisfiable && target.resume().Offset > 0 {
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
	buffer := make([]byte, 256<<10)
	for {
		count, err := opened.Body.Read(buffer)
		if _, failed := target.Write(buffer[:count]); failed != nil {
			return fmt.Errorf("write what was read: %w", failed)
		}
		progress.add(count)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}
