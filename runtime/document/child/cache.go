package child

import (
	"os"
	"path/filepath"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// cacheDirectory returns the directory of compiled code, or nothing if others can write there, because the child runs this code.
func cacheDirectory() string {
	parent, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	directory := filepath.Join(parent, "pdpp-mcp", "pdfium")
	_ = os.MkdirAll(directory, 0o700) // it may exist already, or be on a read-only file system
	info, err := os.Lstat(directory)
	if err != nil || !info.IsDir() || ownfile.IsShared(info) || ownfile.CheckOwner(directory, info) != nil {
		return ""
	}
	return directory
}
