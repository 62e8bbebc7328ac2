//go:build unix

package ownfile

import (
	"io/fs"
	"syscall"
)

// identity returns the owner of a file and its number of names.
func identity(info fs.FileInfo) (owner int, names uint64, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(stat.Uid), uint64(stat.Nlink), true //nolint:unconvert // Nlink has another type on other systems
}
