package credential

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// lockName is the file beside the credentials that a change locks. It is empty and is never removed: another process may
// just have opened it.
const lockName = ".lock"

// A change takes milliseconds. One that waits for longer than lockPatience waits for a process that was stopped, or for
// a network file system that lost a lock.
const (
	lockPatience = 10 * time.Second
	lockPause    = 5 * time.Millisecond
)

// locked runs a change that reads a file and writes it again, while no other change of this cache runs, in this process or
// in another. The lock belongs to the open file, so the system takes it from a process that dies. Readers need none: they
// see the old file or the new one. A file system without locks gets the change all the same, with a warning.
func (c *Cache) locked(change func() error) error {
	if err := c.protectDirectories(); err != nil {
		return err
	}
	path := filepath.Join(c.directory(), lockName)
	file, err := ownfile.Create(path)
	if errors.Is(err, fs.ErrNotExist) {
		return change() // there is no cache, so there is nothing to lose
	}
	if err != nil {
		return c.unwritable(err)
	}
	defer file.Close() // which gives the lock back
	err = c.awaitLock(file)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		c.warn("the file system has no locks; another connect at this moment may be lost", path)
	case errors.Is(err, ownfile.ErrLocked):
		return Misconfigured(
			fmt.Sprintf("the credential cache %s is being changed by another process for more than %s", c.Root, c.patience()),
			"end that process, then try again", err)
	case err != nil:
		return c.unwritable(err)
	}
	return change()
}

// awaitLock asks again and again: a wait inside the system could not be given up.
func (c *Cache) awaitLock(file *os.File) error {
	deadline := time.Now().Add(c.patience())
	for {
		err := ownfile.TryLock(file)
		if !errors.Is(err, ownfile.ErrLocked) || !time.Now().Before(deadline) {
			return err
		}
		time.Sleep(lockPause)
	}
}

func (c *Cache) patience() time.Duration { return cmp.Or(c.lockPatience, lockPatience) }
