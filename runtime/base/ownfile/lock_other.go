//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package ownfile

import (
	"errors"
	"os"
)

// TryLock is not supported on this system.
func TryLock(*os.File) error { return errors.ErrUnsupported }
