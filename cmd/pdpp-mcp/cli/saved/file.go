package saved

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// file writes a download to a partial file, which gets its name when it is complete and right.
type file struct {
	content
	part *part // nil: published
}

// newFile opens the partial file. If the digest is known, it is part of the file's name, so that a later run can continue
// and check the whole. Otherwise the file is new.
func newFile(target *Target, digest string) (*file, error) {
	if target.name == "" {
		return nil, invocation.Usagef("-o is missing; name the file to write, or - for standard output")
	}
	f := &file{content: newContent(digest)}
	if err := target.Check(); err != nil {
		return nil, err
	}
	var err error
	if f.part, err = openPart(target, digest); err != nil {
		return nil, err
	}
	if f.offset, err = io.Copy(f.digest, f.part); err != nil {
		return nil, fmt.Errorf("read the partial file of an earlier run: %w", errors.Join(err, f.part.Close()))
	}
	return f, nil
}

// openPart creates the partial file or opens that of an earlier run.
func openPart(target *Target, digest string) (*part, error) {
	if digest == "" {
		return target.newPart()
	}
	path := target.partPath(digest)
	made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
	switch {
	case errors.Is(err, fs.ErrExist):
		return target.keptPart(digest)
	case err != nil:
		return nil, cannotWrite(err)
	}
	return &part{made, target, path}, nil
}

func (f *file) begin(opened *rs.Download) error {
	f.opened(opened)
	if opened.Offset == 0 {
		return f.restart()
	}
	return nil
}

// restart truncates the partial file of an earlier run.
func (f *file) restart() error {
	_, err := f.part.Seek(0, io.SeekStart)
	if err = errors.Join(err, f.part.Truncate(0)); err != nil {
		return fmt.Errorf("begin the file anew: %w", err)
	}
	return nil
}

func (f *file) Write(part []byte) (int, error) {
	count, err := f.part.Write(part)
	f.add(part[:count])
	return count, err
}

// finish checks the bytes and renames the file. Wrong bytes are removed, since a later run cannot continue from them.
func (f *file) finish() error {
	if err := f.check(); err != nil {
		f.offset = 0 // so that leave removes it
		return err
	}
	whole := f.part
	f.part = nil
	return whole.publish()
}

// leave closes the partial file. It stays for a later run only if that can continue it.
func (f *file) leave() error {
	if f.part == nil {
		return nil
	}
	if f.offset == 0 || f.wanted == "" {
		return f.part.remove()
	}
	return f.part.Close()
}
