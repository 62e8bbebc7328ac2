package credential

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// protect makes a credential file unreadable for other users.
func (c *Cache) protect(file *os.File, info fs.FileInfo, path string) error {
	if c.KeepModes || ownfile.IsPrivate(info) {
		return nil
	}
	err := ownfile.CheckOwn(path, info)
	if err == nil {
		err = file.Chmod(0o600)
	}
	if err != nil {
		return exposedError("credential file "+path+" can be read", "chmod 600 "+commandline.Word(path), err)
	}
	c.logger().Warn("credential file could be read by others; narrowed to 0600", "path", path)
	return nil
}

// exposedError is the error of a file or directory whose mode is too wide and cannot be changed.
func exposedError(what, command string, err error) *Error {
	message := fmt.Sprintf("%s by others, and its mode could not be changed: %v", what, Cause(err))
	return &Error{Class: Configuration, Message: message, Command: command, Cause: err}
}

// protectDirectories ensures that no other user can add a credential to the cache. Missing directories are no error.
func (c *Cache) protectDirectories() error {
	for _, path := range []string{c.Root, c.directory()} {
		info, err := c.checkDirectory(path)
		if err != nil {
			return err
		}
		isSharedRoot := path == c.Root && info != nil && info.Mode()&fs.ModeSticky != 0 // such as /tmp
		if info == nil || c.KeepModes || isSharedRoot || !ownfile.IsShared(info) {
			continue
		}
		if err := ownfile.NarrowDirectory(path, ^fs.FileMode(0o022)); err != nil {
			return exposedError("the credential cache "+path+" can be written", "chmod go-w "+commandline.Word(path), err)
		}
		c.logger().Warn("the credential cache could be written by others; narrowed", "path", path)
	}
	return nil
}

// checkDirectory returns the mode of a directory, or nil if it does not exist. It returns an error for a directory of another user
// and for a clients directory that is a link. The root may be a link.
func (c *Cache) checkDirectory(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && path == c.Root {
		info, err = os.Stat(path)
	}
	if err != nil {
		return nil, nil
	}
	fault := ownfile.CheckOwner(path, info)
	if info.Mode()&fs.ModeSymlink != 0 {
		fault = &ownfile.Fault{Path: path, Reason: "is a symbolic link"}
	}
	if fault != nil {
		return nil, Misconfigured("the credential cache cannot be used: "+fault.Error(),
			"put a directory of your own in its place, or pass another --cache-root", fault)
	}
	return info, nil
}
