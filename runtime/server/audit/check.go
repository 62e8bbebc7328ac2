package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
)

// CheckFile returns an error if NewFile could not write to a path. It creates no file and no directory. It cannot see
// every reason: a disk may be full.
func CheckFile(path string) error {
	file, info, err := ownfile.Open(path, os.O_WRONLY|os.O_APPEND)
	if err == nil {
		return errors.Join(ownfile.CheckOwn(path, info), file.Close())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder): // it would be created
		case err != nil:
			return err
		case !info.IsDir():
			return &ownfile.Fault{Path: folder, Reason: "is not a directory"}
		default:
			return ownfile.CheckWritable(folder)
		}
	}
}
