package credential

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// lockName is an empty file in the clients directory. It is never removed, because another process may just have opened it.
const lockName = ".lock"

// A change takes milliseconds. One that waits for lockPatience waits for a stopped process, or for a network file system that
// lost a lock.
const (
	lockPatience = 10 * time.Second
	lockPause    = 5 * time.Millisecond
)

// locked runs a change that reads and rewrites a file. It holds the cache's lock, which other goroutines and processes wait for and
// which the system releases when a process dies. Readers need no lock, since files are replaced whole. On a file system without
// locks the change runs with a warning.
func (c *Cache) locked(change func() error) error {
	if err := c.protectDirectories(); err != nil {
		return err
	}
	path := filepath.Join(c.directory(), lockName)
	file, err := ownfile.Create(path)
	if errors.Is(err, fs.ErrNotExist) {
		return change() // there is no cache yet
	}
	if err != nil {
		return c.unwritable(err)
	}
	defer file.Close() // releases the lock
	patience := cmp.Or(c.lockPatience, lockPatience)
	deadline := time.Now().Add(patience)
	for err = ownfile.TryLock(file); errors.Is(err, ownfile.ErrLocked) && time.Now().Before(deadline); err = ownfile.TryLock(file) {
		time.Sleep(lockPause)
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		c.warn("the file system has no locks; a concurrent connect may be lost", path)
	case errors.Is(err, ownfile.ErrLocked):
		return Misconfigured(
			fmt.Sprintf("another process has been changing the credential cache %s for more than %s", c.Root, patience),
			"end that process, then try again", err)
	case err != nil:
		return c.unwritable(err)
	}
	return change()
}
