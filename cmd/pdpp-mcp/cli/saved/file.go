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

// savedFile writes FILE.….part and renames it when all of it is there and right.
type savedFile struct {
	content
	name  string
	force bool
	file  *os.File // FILE.….part
}

// newSavedFile opens the file that the bytes wait in for their name. An id that names the digest names that file too, so
// that a killed run is gone on with, and the digest tells in the end whether it was the beginning of the same bytes.
// Any other id has a file of this run alone.
func newSavedFile(name string, force bool, digest string) (*savedFile, error) {
	if name == "" {
		return nil, invocation.Usagef("-o is missing; name the file to write, or - for standard output")
	}
	s := &savedFile{content: newContent(digest), name: name, force: force}
	if err := s.refuseExisting(); err != nil {
		return nil, err
	}
	file, err := openPart(name, digest)
	if err != nil {
		return nil, err
	}
	s.file = file
	s.offset, err = io.Copy(s.digest, file)
	if err != nil {
		return nil, fmt.Errorf("read what an earlier run left: %w", errors.Join(err, file.Close()))
	}
	return s, nil
}

// digestShown is how much of the digest stands in the name of FILE.….part, in hexadecimal digits.
const digestShown = 16

// openPart makes the file, or opens the one that an earlier run made. What somebody else may have put there is neither
// followed nor changed: a link, a pipe, a file that others can write or that has another name.
func openPart(name, digest string) (*os.File, error) {
	if digest == "" {
		file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part") // 0600
		if err != nil {
			return nil, invocation.Usagef("-o cannot be written: %v", err)
		}
		return file, nil
	}
	part := name + "." + digest[:digestShown] + ".part"
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // which follows no link
	if errors.Is(err, fs.ErrExist) {
		file, _, err = ownfile.OpenPrivate(part, os.O_RDWR)
	}
	var foreign *ownfile.Fault
	switch {
	case errors.As(err, &foreign):
		return nil, invocation.Usagef("%v, so it is not what an earlier run left; remove it, or name another file with -o", foreign)
	case err != nil:
		return nil, invocation.Usagef("-o cannot be written: %v", err)
	}
	return file, nil
}

// refuseExisting refuses what would be written over, and what is no file: renaming would put one in its place.
func (s *savedFile) refuseExisting() error {
	info, err := os.Lstat(s.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return invocation.Usagef("-o cannot be written: %v", err)
	case info.IsDir():
		return invocation.Usagef("-o %s is a directory; name a file in it", s.name)
	case !info.Mode().IsRegular():
		return invocation.Usagef("-o %s is a link or another thing that is no regular file; name a file, or - for standard output", s.name)
	case !s.force:
		return invocation.Usagef("%s is there already; pass --force to write over it", s.name)
	}
	return nil
}

func (s *savedFile) begin(opened *rs.Download) error {
	s.opened(opened)
	if opened.Offset == 0 {
		return s.restart()
	}
	return nil
}

// restart drops what an earlier run left.
func (s *savedFile) restart() error {
	if err := s.file.Truncate(0); err != nil {
		return fmt.Errorf("begin the file anew: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("begin the file anew: %w", err)
	}
	return nil
}

func (s *savedFile) Write(part []byte) (int, error) {
	count, err := s.file.Write(part)
	s.add(part[:count])
	return count, err
}

// finish gives the file its name. Wrong bytes are removed, since no later run could mend them.
func (s *savedFile) finish() error {
	if err := s.check(); err != nil {
		s.offset = 0 // leave removes it
		return err
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", s.file.Name(), err)
	}
	if err := s.refuseExisting(); err != nil { // one may have appeared meanwhile
		return err
	}
	if err := os.Rename(s.file.Name(), s.name); err != nil {
		return fmt.Errorf("give the file its name: %w", err)
	}
	return s.file.Close()
}

// leave keeps what there is for another run, and nothing that none could use.
func (s *savedFile) leave() error {
	if s.offset == 0 || s.wanted == "" {
		return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	}
	return s.file.Close()
}
