package credential

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// Prepare creates the directories and verifies that a credential can be stored, before the owner is asked.
func (c *Cache) Prepare(providerURL string) error {
	at, err := c.place(providerURL)
	if err != nil {
		return err
	}
	if _, _, err := c.readForAdd(at); err != nil {
		return err
	}
	if err := c.createDirectories(); err != nil {
		return err
	}
	return c.withReservedSpace(func() error { return nil })
}

// reservedSpace is enough for the file of several dozen grants, in bytes.
const reservedSpace = 64 << 10

// withReservedSpace runs a function while the disk has space for another file.
func (c *Cache) withReservedSpace(run func() error) error {
	reserved, err := os.CreateTemp(c.directory(), temporaryName)
	if err != nil {
		return c.unwritable(err)
	}
	defer func() { _ = os.Remove(reserved.Name()) }() // otherwise it is a leftover
	_, err = reserved.Write(make([]byte, reservedSpace))
	if err = errors.Join(err, reserved.Sync(), reserved.Close()); err != nil {
		return c.unwritable(err)
	}
	return run()
}

func (c *Cache) createDirectories() error {
	if err := os.MkdirAll(c.directory(), 0o700); err != nil {
		return c.unwritable(err)
	}
	if err := c.protectDirectories(); err != nil {
		return err
	}
	_ = ownfile.NarrowDirectory(c.directory(), 0o700) // if it stays readable, its files still are not
	c.removeLeftovers()
	return c.ignoreInGit()
}

// ignoreInGit keeps the root's content out of version control.
func (c *Cache) ignoreInGit() error {
	path := filepath.Join(c.Root, ".gitignore")
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := ownfile.Replace(path, temporaryName, 0o600, []byte("*\n")); err != nil {
		return c.unwritable(err)
	}
	return nil
}

// temporaryName is the pattern of temporary files. A killed process leaves one that contains a token.
const temporaryName = ".writing-*"

func (c *Cache) removeLeftovers() { ownfile.RemoveLeftovers(c.directory(), temporaryName) }

func (c *Cache) unwritable(err error) *Error {
	return Misconfigured(
		fmt.Sprintf("the credential cache %s cannot be written: %v", c.Root, Cause(err)),
		"pass --cache-root with a directory that you can write", err)
}
