//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package ownfile

import (
	"errors"
	"os"
)

// TryLock knows no lock of this system. Nothing is released for it.
func TryLock(*os.File) error { return errors.ErrUnsupported }
