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

// file writes FILE.….part and renames it to FILE when it is complete and right.
type file struct {
	content
	name  string
	force bool
	part  *os.File // FILE.….part
}

// newFile opens the partial file. If the digest is known, it is part of the file's name, so that a later run can continue
// and check the whole. Otherwise the file is new.
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
		return nil, fmt.Errorf("read the partial file of an earlier run: %w", errors.Join(err, f.part.Close()))
	}
	return f, nil
}

// digestShown is how many hexadecimal digits of the digest are part of the name FILE.….part.
const digestShown = 16

// openPart creates the partial file or opens that of an earlier run. It refuses what another user may have put there: a
// link, a pipe, a file that others can write, and one with a second hard link.
func openPart(name, digest string) (*os.File, error) {
	var file *os.File
	var err error
	if digest == "" {
		file, err = os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part") // 0600
	} else {
		part := name + "." + digest[:digestShown] + ".part"
		file, err = os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
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

// refuseExisting refuses to replace an existing file without --force, and anything else than a regular file with it too.
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
		return invocation.Usagef("-o %s is not a regular file; name a file, or - for standard output", f.name)
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

// leave closes the partial file. It stays for a later run only if that can continue it.
func (f *file) leave() error {
	if f.offset == 0 || f.wanted == "" {
		return errors.Join(f.part.Close(), os.Remove(f.part.Name()))
	}
	return f.part.Close()
}
