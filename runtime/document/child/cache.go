package child

import (
	"os"
	"path/filepath"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// cacheDirectory returns the directory of compiled code in the user's cache directory. It returns nothing if others can write there,
// because the child runs this code, and if the directory is read-only and has no code.
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
	if compiled, _ := filepath.Glob(filepath.Join(directory, "*", "*")); len(compiled) > 0 {
		return directory
	}
	file, err := os.CreateTemp(directory, "*.tmp")
	if err != nil {
		return ""
	}
	_ = file.Close()
	_ = os.Remove(file.Name()) // an empty file does no harm
	return directory
}
