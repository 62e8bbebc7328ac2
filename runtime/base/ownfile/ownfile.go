// Package ownfile opens, locks and replaces files of the current user. It does not follow a symbolic link at the end of
// a path and does not wait for named pipes. Credentials, audit logs and downloads use it.
package ownfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Fault is the error of an unacceptable file.
type Fault struct {
	Path   string
	Reason string // such as "is a symbolic link"
}

func (f *Fault) Error() string { return f.Path + " " + f.Reason }

// ErrLocked is the error of a lock that another open file holds.
var ErrLocked = errors.New("another process holds the lock")

const wasExchanged = "was replaced while it was opened"

// Open opens an existing regular file for os.O_RDONLY or os.O_RDWR. It returns a *Fault for a link or another kind of
// file, or an error of package os.
func Open(path string, flag int) (*os.File, fs.FileInfo, error) {
	return open(path, flag, fs.FileMode.IsRegular, "is not a regular file")
}

// open returns a *Fault with the reason for a file of another kind.
func open(path string, flag int, isKind func(fs.FileMode) bool, reason string) (*os.File, fs.FileInfo, error) {
	named, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case named.Mode()&fs.ModeSymlink != 0:
		return nil, nil, &Fault{path, "is a symbolic link"}
	case !isKind(named.Mode()):
		return nil, nil, &Fault{path, reason}
	}
	// O_NONBLOCK avoids waiting if the file has become a pipe. It has no effect on regular files.
	file, err := os.OpenFile(path, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(named, opened) {
		err = &Fault{path, wasExchanged}
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, nil, err
	}
	return file, opened, nil
}

// OpenPrivate is Open for a private file: it belongs to the current user, has one name and mode 0600 or narrower. It
// returns a *Fault for any other file.
func OpenPrivate(path string, flag int) (*os.File, fs.FileInfo, error) {
	file, info, err := Open(path, flag)
	if err == nil && !IsPrivate(info) {
		err = &Fault{path, "can be read or written by others"}
	}
	if err == nil {
		err = CheckOwn(path, info)
	}
	if err != nil && file != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return file, info, err
}

// Append opens a private file for reading and for appending. It creates a missing one. An existing file must belong to
// the current user and have one name; its mode is narrowed.
func Append(path string) (*os.File, error) {
	file, err := Create(path, os.O_APPEND)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = CheckOwn(path, info)
	}
	if err == nil && !IsPrivate(info) {
		err = file.Chmod(info.Mode() & 0o700)
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

// createTries is the maximum number of concurrent changes by other processes while a file is opened.
const createTries = 100

// Create opens a file for reading and writing, with further flags. It creates a missing one with mode 0600, and opens
// an existing one like Open.
func Create(path string, flags int) (file *os.File, err error) {
	flag := os.O_RDWR | flags
	for range createTries {
		file, err = os.OpenFile(path, flag|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL does not follow links
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		file, _, err = Open(path, flag)
		var fault *Fault
		if !errors.Is(err, fs.ErrNotExist) && (!errors.As(err, &fault) || fault.Reason != wasExchanged) {
			break
		}
	}
	return file, err
}

// Replace writes a file of the given mode. Readers see the old or the new content, never a part. The temporary file is
// in the same directory and is named by the pattern, as os.CreateTemp does; see RemoveLeftovers.
func Replace(path, pattern string, mode fs.FileMode, data []byte) error {
	RemoveLeftovers(filepath.Dir(path), pattern)
	temporary, err := os.CreateTemp(filepath.Dir(path), pattern) // 0600
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}

// leftoverAge is the age at which a temporary file no longer has a writer.
const leftoverAge = time.Minute

// RemoveLeftovers removes the temporary files of killed processes. Files that cannot be removed stay.
func RemoveLeftovers(directory, pattern string) {
	paths, _ := filepath.Glob(filepath.Join(directory, pattern)) // the pattern is well formed
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > leftoverAge {
			_ = os.Remove(path)
		}
	}
}

// NarrowDirectory removes the rights that are not in keep from a directory. It returns a *Fault for a link and for a
// directory of another user.
func NarrowDirectory(path string, keep fs.FileMode) error {
	directory, opened, err := open(path, os.O_RDONLY, fs.FileMode.IsDir, "is not a directory")
	if err != nil {
		return err
	}
	defer directory.Close()
	if err := CheckOwn(path, opened); err != nil {
		return err
	}
	return directory.Chmod(opened.Mode() & (keep | ^fs.ModePerm))
}

// CheckOwn returns a *Fault for a file or directory of another user, and for a file with several names, which share its
// mode. It returns nil on systems without owners.
func CheckOwn(path string, info fs.FileInfo) error {
	if err := CheckOwner(path, info); err != nil {
		return err
	}
	if _, names, known := identity(info); known && names > 1 && !info.IsDir() {
		return &Fault{path, "has another name (a hard link)"}
	}
	return nil
}

// CheckOwner returns a *Fault for a file or directory of another user. A directory may belong to root, who can change
// everything anyway. It returns nil on systems without owners.
func CheckOwner(path string, info fs.FileInfo) error {
	owner, _, known := identity(info)
	if !known || owner == os.Geteuid() || owner == 0 && info.IsDir() {
		return nil
	}
	return &Fault{path, "belongs to another user"}
}

// IsPrivate reports whether the mode denies access to others. On Windows it is always true.
func IsPrivate(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}

// IsShared reports whether the mode lets others write. On Windows it is always false.
func IsShared(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
}
