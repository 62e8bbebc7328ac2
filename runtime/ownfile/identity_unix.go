//go:build unix

package ownfile

import (
	"io/fs"
	"syscall"
)

// identity gives the user that a file belongs to, and how many names it has.
func identity(info fs.FileInfo) (owner int, names uint64, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(stat.Uid), uint64(stat.Nlink), true //nolint:unconvert // Nlink is of another type on other systems
}
