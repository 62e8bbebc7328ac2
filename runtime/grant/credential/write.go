package credential

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Prepare creates the directories and verifies that a credential can be stored, before the owner is asked.
func (c *Cache) Prepare(providerURL string) error {
	if _, _, err := c.readForAdd(providerURL); err != nil {
		return err
	}
	if err := c.createDirectories(); err != nil {
		return err
	}
	return c.withReservedSpace(func() error { return nil })
}

const reservedSpace = 64 << 10 // bytes; enough for several dozen grants

// withReservedSpace runs a function while the disk has space for another file.
func (c *Cache) withReservedSpace(run func() error) error {
	reserved, err := os.CreateTemp(c.directory(), temporaryName)
	if err != nil {
		return c.writeError(err)
	}
	defer func() { _ = os.Remove(reserved.Name()) }() // removeLeftovers removes it otherwise
	_, err = reserved.Write(make([]byte, reservedSpace))
	if err = errors.Join(err, reserved.Sync(), reserved.Close()); err != nil {
		return c.writeError(err)
	}
	return run()
}

func (c *Cache) createDirectories() error {
	if err := os.MkdirAll(c.directory(), 0o700); err != nil {
		return c.writeError(err)
	}
	if err := c.protectDirectories(); err != nil {
		return err
	}
	_ = ownfile.NarrowDirectory(c.directory(), 0o700) // its files are private anyway
	c.removeLeftovers()
	return c.ignoreInGit()
}

func (c *Cache) ignoreInGit() error {
	path := filepath.Join(c.Root, ".gitignore")
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return c.replace(path, []byte("*\n"))
}

func (c *Cache) replace(path string, data []byte) error {
	if err := ownfile.Replace(path, temporaryName, 0o600, data); err != nil {
		return c.writeError(err)
	}
	return nil
}

// temporaryName is the pattern of temporary files. A killed process leaves one that contains a token.
const temporaryName = ".writing-*"

func (c *Cache) removeLeftovers() { ownfile.RemoveLeftovers(c.directory(), temporaryName) }

func (c *Cache) writeError(err error) *Error {
	return Misconfigured(fmt.Sprintf("the credential cache %s cannot be written: %v", c.Root, Cause(err)),
		"pass --cache-root with a directory that you can write", err)
}

// lockName is an empty file in the clients directory. It is never removed, because another process may just have opened
// it.
const lockName = ".lock"

// A change takes milliseconds. One that waits longer waits for a stopped process, or for a lost lock of a network file
// system.
const (
	lockPatience = 10 * time.Second
	lockPause    = 5 * time.Millisecond
)

// locked runs a change that reads and rewrites a file. It holds the cache's lock, which other goroutines and processes
// wait for and which the system releases when a process dies. Readers need no lock, since files are replaced whole. On
// a file system without locks the change runs with a warning.
func (c *Cache) locked(change func() error) error {
	if err := c.protectDirectories(); err != nil {
		return err
	}
	path := filepath.Join(c.directory(), lockName)
	file, err := ownfile.Create(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return change() // there is no cache yet
	}
	if err != nil {
		return c.writeError(err)
	}
	defer file.Close() // releases the lock
	patience := cmp.Or(c.lockPatience, lockPatience)
	deadline := time.Now().Add(patience)
	for err = ownfile.TryLock(file); errors.Is(err, ownfile.ErrLocked) && time.Now().Before(deadline); err = ownfile.TryLock(file) {
		time.Sleep(lockPause)
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		c.logger().Warn("the file system has no locks; a concurrent connect may be lost", "path", path)
	case errors.Is(err, ownfile.ErrLocked):
		return Misconfigured(fmt.Sprintf("another process has been changing the credential cache %s for more than %s", c.Root, patience),
			"end that process, then try again", err)
	case err != nil:
		return c.writeError(err)
	}
	return change()
}

func (c *Cache) removeFile(path string) error {
	c.removeLeftovers()
	if err := os.Remove(path); err != nil {
		return c.writeError(err)
	}
	return nil
}

// storeGrants replaces the grants of a file. The first one becomes the one in credential.
func (c *Cache) storeGrants(held contents, grants []*Entry) error {
	file := grants[0].object(held.members).Without(otherGrants)
	var others []json.RawMessage
	for _, entry := range grants[1:] {
		others = append(others, entry.object(nil).Without("provider_url").Encode())
	}
	if others != nil {
		file = file.With(otherGrants, rawjson.Array(others))
	}
	var data bytes.Buffer
	_ = json.Indent(&data, file.Encode(), "", "  ")
	data.WriteByte('\n')
	if data.Len() > maxFileBytes {
		return Misconfigured(fmt.Sprintf("credential file %s would be larger than %d bytes", held.path, maxFileBytes),
			"remove grants that are no longer needed: pdpp-mcp disconnect <provider-url> --grant-id <grant>", nil)
	}
	return c.replace(held.path, data.Bytes())
}
