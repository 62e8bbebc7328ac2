// Package ownfile opens files that are to be read, changed or narrowed only when they are what their name says: no
// symbolic link is followed at the end of a path, and no named pipe is waited for. It locks open files and replaces files whole.
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

// Fault is a file that is not taken for what it is.
type Fault struct {
	Path   string
	Reason string // such as "is a symbolic link"
}

func (f *Fault) Error() string { return f.Path + " " + f.Reason }

// ErrLocked says that another open file holds the lock.
var ErrLocked = errors.New("another process holds the lock")

// Why a file is not taken.
const (
	isLink       = "is a symbolic link"
	isNotRegular = "is not a regular file"
	wasExchanged = "was exchanged while it was opened"
	isForeign    = "belongs to another user"
	hasMoreNames = "has another name besides (a hard link)"
	isWide       = "can be read or written by others"
)

// Open opens a regular file that is there, for os.O_RDONLY or os.O_RDWR, and gives what is known of it. It creates and
// truncates nothing. Its error is a *Fault for a link and for anything else that is no regular file, or an error of
// package os.
func Open(path string, flag int) (*os.File, fs.FileInfo, error) {
	named, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case named.Mode()&fs.ModeSymlink != 0:
		return nil, nil, &Fault{path, isLink}
	case !named.Mode().IsRegular():
		return nil, nil, &Fault{path, isNotRegular}
	}
	// O_NONBLOCK: what has become a pipe meanwhile is not waited for. Regular files take no notice of it.
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

// OpenPrivate is Open for a file that this user made and that nobody else can reach: it is the user's, has one name
// and is 0600 or narrower. Its error is a *Fault for any other file.
func OpenPrivate(path string, flag int) (*os.File, fs.FileInfo, error) {
	file, info, err := Open(path, flag)
	if err == nil && !IsPrivate(info) {
		err = &Fault{path, isWide}
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

// Create makes a file of mode 0600 and opens it for reading and writing, or opens the one that is there as Open does.
func Create(path string) (*os.File, error) { return create(path, os.O_RDWR) }

// Append is Create for a file whose writes all go to its end, also those of other processes, and that nobody else can read: one
// that is there must be this user's with one name, and loses the rights of others.
func Append(path string) (*os.File, error) {
	file, err := create(path, os.O_RDWR|os.O_APPEND)
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

// createTries is how often another process may make, rename or remove a file while it is opened.
const createTries = 100

func create(path string, flag int) (file *os.File, err error) {
	for range createTries {
		file, err = os.OpenFile(path, flag|os.O_CREATE|os.O_EXCL, 0o600) // which follows no link
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

// Replace writes a file of the given mode. Readers see the old or the new content, never a part. The temporary file is in the same
// directory and is named by the pattern, as os.CreateTemp does; see RemoveLeftovers.
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

// NarrowDirectory takes the rights that are not in keep away from a directory of this user's, which no link stands for.
// Its error is a *Fault for any other.
func NarrowDirectory(path string, keep fs.FileMode) error {
	named, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case named.Mode()&fs.ModeSymlink != 0:
		return &Fault{path, isLink}
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	opened, err := directory.Stat()
	switch {
	case err != nil:
		return err
	case !os.SameFile(named, opened):
		return &Fault{path, wasExchanged}
	}
	if err := CheckOwn(path, opened); err != nil {
		return err
	}
	return directory.Chmod(opened.Mode() & (keep | ^fs.ModePerm))
}

// CheckOwn gives a *Fault for a file or directory of another user, and for a file that has other names, whose mode
// would change with it. Systems without such notions have none.
func CheckOwn(path string, info fs.FileInfo) error {
	if err := CheckOwner(path, info); err != nil {
		return err
	}
	if _, names, known := identity(info); known && names > 1 && !info.IsDir() {
		return &Fault{path, hasMoreNames}
	}
	return nil
}

// CheckOwner returns a *Fault for a file or directory of another user. A directory may be root's, who can change everything
// anyway. Systems without owners have no faults.
func CheckOwner(path string, info fs.FileInfo) error {
	owner, _, known := identity(info)
	if !known || owner == os.Geteuid() || owner == 0 && info.IsDir() {
		return nil
	}
	return &Fault{path, isForeign}
}

// IsPrivate reports whether the mode keeps everybody else out. Windows has no such bits.
func IsPrivate(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}

// IsShared reports whether the mode lets others change a file, or what is in a directory.
func IsShared(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
}
