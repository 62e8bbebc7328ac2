//go:build unix

package ownfile

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// CheckWritable returns an error if this process may not create files in a directory.
func CheckWritable(path string) error {
	if err := unix.Access(path, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write to", Path: path, Err: err}
	}
	return nil
}
