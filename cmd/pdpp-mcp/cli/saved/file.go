package saved

import (
	"errors"
	"fmt"
	"io"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// file writes a download to a partial file.
type file struct {
	content
	part *part // nil after it was published
}

// newFile opens the partial file. With a digest, which verifies the whole, it continues the partial file of an earlier run.
func newFile(target *Target, digest string) (*file, error) {
	if target.name == "" {
		return nil, invocation.Usagef("-o is missing; name the file to write, or - for standard output")
	}
	err := target.Check()
	if err != nil {
		return nil, err
	}
	f := &file{content: newContent(digest)}
	if digest == "" {
		f.part, err = target.newPart()
	} else {
		f.part, err = target.resumablePart(digest)
	}
	if err != nil {
		return nil, err
	}
	if f.offset, err = io.Copy(f.digest, f.part); err != nil {
		return nil, fmt.Errorf("read the partial file of an earlier run: %w", errors.Join(err, f.part.Close()))
	}
	return f, nil
}

func (f *file) begin(response *rs.Download) error {
	f.start(response)
	if response.Offset > 0 {
		return nil
	}
	_, err := f.part.Seek(0, io.SeekStart)
	if err = errors.Join(err, f.part.Truncate(0)); err != nil {
		return fmt.Errorf("restart the download: %w", err)
	}
	return nil
}

func (f *file) Write(bytes []byte) (int, error) {
	count, err := f.part.Write(bytes)
	f.add(bytes[:count])
	return count, err
}

// finish verifies and publishes the file. After a failure abort removes it, because no later run can continue wrong bytes.
func (f *file) finish() error {
	if err := f.check(); err != nil {
		f.offset = 0
		return err
	}
	complete := f.part
	f.part = nil
	return complete.publish()
}

// abort closes the partial file. It keeps the file only for a later run that can continue it.
func (f *file) abort() error {
	switch {
	case f.part == nil:
		return nil
	case f.offset == 0 || f.expected == "":
		return f.part.remove()
	}
	return f.part.Close()
}
