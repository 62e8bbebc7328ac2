package saved

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// file writes FILE.….part and renames it when all of it is there and right.
type file struct {
	content
	name  string
	force bool
	part  *os.File // FILE.….part
}

// newFile opens the file for the bytes until all are there. When the id names their digest, so does the file: the next run can
// go on with what a killed run left, and the digest shows in the end whether it was the beginning of the same bytes. For any
// other id the file is new.
func newFile(name string, force bool, digest string) (*file, error) {
	if name == "" {
		return nil, invocation.Usagef("-o is missing; name the file to write, or - for standard output")
	}
	f := &file{content: newContent(digest), name: name, force: force}
	if err := f.refuseExisting(); err != nil {
		return nil, err
	}
	var err error
	if f.part, err = openPart(name, digest); err != nil {
		return nil, err
	}
	if f.offset, err = io.Copy(f.digest, f.part); err != nil {
		return nil, fmt.Errorf("read what an earlier run left: %w", errors.Join(err, f.part.Close()))
	}
	return f, nil
}

// digestShown is how much of the digest is part of the name of FILE.….part, in hexadecimal digits.
const digestShown = 16

// openPart makes the file, or opens the one that an earlier run made. What another user may have put there is neither
// followed nor changed: a link, a pipe, a file that others can write or that has another name.
func openPart(name, digest string) (*os.File, error) {
	var file *os.File
	var err error
	if digest == "" {
		file, err = os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part") // 0600
	} else {
		part := name + "." + digest[:digestShown] + ".part"
		file, err = os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // which follows no link
		if errors.Is(err, fs.ErrExist) {
			file, _, err = ownfile.OpenPrivate(part, os.O_RDWR)
		}
	}
	if foreign, ok := errors.AsType[*ownfile.Fault](err); ok {
		return nil, invocation.Usagef("%v, so it is not what an earlier run left; remove it, or name another file with -o", foreign)
	}
	if err != nil {
		return nil, invocation.Usagef("-o cannot be written: %v", err)
	}
	return file, nil
}

// refuseExisting refuses what would be written over, and what is no file: renaming would put one in its place.
func (f *file) refuseExisting() error {
	info, err := os.Lstat(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return invocation.Usagef("-o cannot be written: %v", err)
	case info.IsDir():
		return invocation.Usagef("-o %s is a directory; name a file in it", f.name)
	case !info.Mode().IsRegular():
		return invocation.Usagef("-o %s is a link or another thing that is no regular file; name a file, or - for standard output", f.name)
	case !f.force:
		return invocation.Usagef("%s is there already; pass --force to write over it", f.name)
	}
	return nil
}

func (f *file) begin(opened *rs.Download) error {
	f.opened(opened)
	if opened.Offset == 0 {
		return f.restart()
	}
	return nil
}

// restart drops what an earlier run left.
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

// finish gives the file its name. Wrong bytes are removed, since no later run could mend them.
func (f *file) finish() error {
	if err := f.check(); err != nil {
		f.offset = 0 // leave removes it
		return err
	}
	if err := f.part.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", f.part.Name(), err)
	}
	if err := f.refuseExisting(); err != nil { // one may have appeared meanwhile
		return err
	}
	if err := os.Rename(f.part.Name(), f.name); err != nil {
		return fmt.Errorf("give the file its name: %w", err)
	}
	return f.part.Close()
}

// leave keeps what there is for another run, and nothing that none could use.
func (f *file) leave() error {
	if f.offset == 0 || f.wanted == "" {
		return errors.Join(f.part.Close(), os.Remove(f.part.Name()))
	}
	return f.part.Close()
}
