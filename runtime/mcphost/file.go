package mcphost

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// largestFile bounds a configuration file in bytes. Claude Code keeps its history in the same file, so that
// it can have some megabytes.
const largestFile = 64 << 20

var errBusy = errors.New("another setup writes it, or was killed less than a minute ago")

// file is a configuration file as it was when it was read.
type file struct {
	path    string // as the host knows it
	target  string // the same without symbolic links, so that those stay
	exists  bool
	mode    fs.FileMode
	content []byte
}

func readFile(path string) (*file, error) {
	read := &file{path: path, target: path, mode: 0o600}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, linkErr := os.Lstat(path); linkErr == nil {
			return nil, read.unreadable(err, "it is a symbolic link to nothing")
		}
		return read, nil
	}
	if err != nil {
		return nil, read.unreadable(err, "")
	}
	read.target = target
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return nil, read.unreadable(err, "")
	case !info.Mode().IsRegular():
		return nil, read.unreadable(nil, "it is not a regular file")
	case info.Size() > largestFile:
		return nil, read.unreadable(nil, fmt.Sprintf("it is larger than %d bytes", largestFile))
	}
	read.exists, read.mode = true, info.Mode().Perm()
	if read.content, err = os.ReadFile(target); err != nil {
		return nil, read.unreadable(err, "")
	}
	return read, nil
}

// replace writes the content to a temporary file beside the old one and renames it.
func (f *file) replace(content []byte, step func(string)) (backup string, err error) {
	if step == nil {
		step = func(string) {}
	}
	if err := os.MkdirAll(filepath.Dir(f.target), 0o700); err != nil {
		return "", f.unwritable(err)
	}
	step("write")
	temporary, err := f.writeBeside(content)
	if err != nil {
		return "", f.unwritable(err)
	}
	defer func() { _ = os.Remove(temporary) }() // after the rename there is nothing left to remove
	step("backup")
	if f.exists {
		if backup, err = f.backUp(); err != nil {
			return "", f.unwritable(err)
		}
	}
	step("rename")
	if err := f.unchanged(); err != nil {
		return backup, err
	}
	if err := os.Rename(temporary, f.target); err != nil {
		return backup, f.unwritable(err)
	}
	step("done")
	return backup, nil
}

// backUp copies the file under a name that no file has.
func (f *file) backUp() (string, error) {
	stem := f.target + ".before-pdpp-" + time.Now().UTC().Format("20060102T150405Z")
	for attempt := 1; ; attempt++ {
		path := stem
		if attempt > 1 {
			path = fmt.Sprintf("%s-%d", stem, attempt)
		}
		copied, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
		if errors.Is(err, fs.ErrExist) && attempt < 100 {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, f.fill(copied, f.content)
	}
}

// abandonedAfter is the age at which a temporary file is that of a run that was killed.
const abandonedAfter = time.Minute

// writeBeside fills the temporary file. Its name is fixed, so that two runs cannot write at the same time.
func (f *file) writeBeside(content []byte) (string, error) {
	path := filepath.Join(filepath.Dir(f.target), "."+filepath.Base(f.target)+".pdpp-writing")
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > abandonedAfter {
		_ = os.Remove(path) // when that fails, the next step says so
	}
	temporary, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", errBusy
	}
	if err != nil {
		return "", err
	}
	if err := f.fill(temporary, content); err != nil {
		_ = os.Remove(path) // the error that matters is the first one
		return "", err
	}
	return path, nil
}

// fill writes a new file, gives it the old one's mode and makes it last.
func (f *file) fill(made *os.File, content []byte) error {
	_, err := io.Copy(made, bytes.NewReader(content))
	return errors.Join(err, made.Chmod(f.mode), made.Sync(), made.Close())
}

// unchanged makes sure that the host has not written its file since it was read.
func (f *file) unchanged() error {
	now, err := readFile(f.path)
	if err != nil {
		return err
	}
	if now.exists != f.exists || now.target != f.target || !bytes.Equal(now.content, f.content) {
		return credential.Misconfigured(f.path+" was changed by another program meanwhile, and was left as it is", "close the host and run setup again", nil)
	}
	return nil
}

func (f *file) unreadable(err error, reason string) error {
	if reason == "" {
		reason = credential.Cause(err).Error()
	}
	return credential.Misconfigured(f.path+" cannot be read: "+reason, mendOrPrint, err)
}

func (f *file) unwritable(err error) error {
	return credential.Misconfigured(f.path+" cannot be written: "+credential.Cause(err).Error(), mendOrPrint, err)
}

const mendOrPrint = "mend that, or put the configuration in by hand; --print shows it"
