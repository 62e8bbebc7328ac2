package credential

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ignoreAll keeps credentials out of version control.
const ignoreAll = "*\n"

// Write stores an entry under its provider URL: directories 0700, the file 0600, written to a
// temporary file, synced and renamed. An entry that was read keeps the members it does not name.
func (c *Cache) Write(entry *Entry) error {
	path, err := c.Path(entry.ProviderURL)
	if err != nil {
		return err
	}
	data, err := entry.encode()
	if err != nil {
		return &Error{Class: Internal, Message: "the credential could not be encoded", Cause: err}
	}
	if err := c.prepare(); err != nil {
		return err
	}
	if err := replace(path, data); err != nil {
		return c.unwritable(err)
	}
	return nil
}

// prepare makes the directories and the file that keeps them out of version control.
func (c *Cache) prepare() error {
	if err := os.MkdirAll(c.directory(), 0o700); err != nil {
		return c.unwritable(err)
	}
	// MkdirAll leaves a directory that was there as it is.
	if err := os.Chmod(c.directory(), 0o700); err != nil {
		return c.unwritable(err)
	}
	ignore := filepath.Join(c.Root, ".gitignore")
	if _, err := os.Lstat(ignore); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := replace(ignore, []byte(ignoreAll)); err != nil {
		return c.unwritable(err)
	}
	return nil
}

func (c *Cache) unwritable(err error) *Error {
	return &Error{
		Class:    Configuration,
		Message:  fmt.Sprintf("the credential cache %s cannot be written: %v", c.Root, cause(err)),
		NextStep: "pass --cache-root with a directory that you can write",
		Cause:    err,
	}
}

// replace writes a file so that readers see the old or the new content, never a part.
func replace(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".writing-*") // 0600
	if err != nil {
		return err
	}
	// Closing and removing again after a rename does no harm.
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	if _, err := file.Write(data); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
