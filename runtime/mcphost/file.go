package mcphost

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

const maxFileBytes = 64 << 20 // Claude Code keeps its history in the same file

type file struct {
	path    string // as the host knows it
	target  string // path without symbolic links, which stay
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
	case info.Size() > maxFileBytes:
		return nil, read.unreadable(nil, fmt.Sprintf("it is larger than %d bytes", maxFileBytes))
	}
	read.exists, read.mode = true, info.Mode().Perm()
	if read.content, err = os.ReadFile(target); err != nil {
		return nil, read.unreadable(err, "")
	}
	return read, nil
}

// replace backs the file up and replaces it. It returns the path of the backup, which is empty if there was no file.
func (f *file) replace(content []byte) (backup string, err error) {
	if err := os.MkdirAll(filepath.Dir(f.target), 0o700); err != nil {
		return "", f.unwritable(err)
	}
	if f.exists {
		backup = f.target + ".before-pdpp-" + time.Now().UTC().Format("20060102T150405.000000000Z")
		copied, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
		if err != nil {
			return "", f.unwritable(err)
		}
		_, err = copied.Write(f.content)
		if err := errors.Join(err, copied.Chmod(f.mode), copied.Sync(), copied.Close()); err != nil {
			return "", f.unwritable(err)
		}
	}
	if err := f.checkUnchanged(); err != nil {
		return backup, err
	}
	if err := ownfile.Replace(f.target, "."+filepath.Base(f.target)+".pdpp-writing-*", f.mode, content); err != nil {
		return backup, f.unwritable(err)
	}
	return backup, nil
}

// checkUnchanged returns an error if the host has written its file since it was read.
func (f *file) checkUnchanged() error {
	now, err := readFile(f.path)
	if err != nil {
		return err
	}
	if now.exists != f.exists || now.target != f.target || !bytes.Equal(now.content, f.content) {
		return credential.Misconfigured(f.path+" was changed by another program meanwhile and was left as it is", "close the host and run setup again", nil)
	}
	return nil
}

func (f *file) unreadable(err error, reason string) error {
	if reason == "" {
		reason = credential.Cause(err).Error()
	}
	return credential.Misconfigured(f.path+" cannot be read: "+reason, fixOrPrint, err)
}

func (f *file) unwritable(err error) error {
	return credential.Misconfigured(f.path+" cannot be written: "+credential.Cause(err).Error(), fixOrPrint, err)
}

const fixOrPrint = "fix that, or add the configuration by hand; --print shows it"
