package credential

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// Prepare makes the directories and shows that a credential of the provider could be added, so that a sign-in
// that the owner approved does not fail at its end.
func (c *Cache) Prepare(providerURL string) error {
	at, err := c.place(providerURL)
	if err != nil {
		return err
	}
	if _, _, err := c.joined(at); err != nil {
		return err
	}
	if err := c.prepare(); err != nil {
		return err
	}
	return c.withRoom(func() error { return nil })
}

// room is how much of the disk is kept for a file, in bytes: that of a few dozen grants.
const room = 64 << 10

// withRoom runs a function while the disk has room for another file.
func (c *Cache) withRoom(run func() error) error {
	reserved, err := os.CreateTemp(c.directory(), temporaryName)
	if err != nil {
		return c.unwritable(err)
	}
	defer func() { _ = os.Remove(reserved.Name()) }() // otherwise it is a leftover
	_, err = reserved.Write(make([]byte, room))
	if err = errors.Join(err, reserved.Sync(), reserved.Close()); err != nil {
		return c.unwritable(err)
	}
	return run()
}

// prepare makes the directories and the file that keeps them out of version control.
func (c *Cache) prepare() error {
	if err := os.MkdirAll(c.directory(), 0o700); err != nil {
		return c.unwritable(err)
	}
	if err := c.protectDirectories(); err != nil {
		return err
	}
	// MkdirAll leaves a directory that was there as it is. When it stays readable, the files in it still are not.
	_ = ownfile.NarrowDirectory(c.directory(), 0o700)
	c.removeLeftovers()
	return c.exclude()
}

// exclude keeps what is in the root out of version control.
func (c *Cache) exclude() error {
	ignore := filepath.Join(c.Root, ".gitignore")
	if _, err := os.Lstat(ignore); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := ownfile.Replace(ignore, temporaryName, 0o600, []byte("*\n")); err != nil {
		return c.unwritable(err)
	}
	return nil
}

// temporaryName is the pattern of temporary files. A killed process leaves one, with the token in it.
const temporaryName = ".writing-*"

func (c *Cache) removeLeftovers() { ownfile.RemoveLeftovers(c.directory(), temporaryName) }

func (c *Cache) unwritable(err error) *Error {
	return Misconfigured(
		fmt.Sprintf("the credential cache %s cannot be written: %v", c.Root, Cause(err)),
		"pass --cache-root with a directory that you can write", err)
}
