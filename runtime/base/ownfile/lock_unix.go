//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package ownfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock locks an open file (flock), or returns ErrLocked. fcntl locks belong to the process, so that two goroutines
// could both hold one.
func TryLock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EOPNOTSUPP),
			errors.Is(err, unix.ENOLCK):
			return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		default:
			return err
		}
	}
}
