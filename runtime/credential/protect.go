package credential

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// protect makes sure that only the owner of a credential can read it.
func (c *Cache) protect(file *os.File, info fs.FileInfo, path string) error {
	if c.AsIs || ownfile.IsPrivate(info) {
		return nil
	}
	narrow := c.narrow
	if narrow == nil {
		narrow = func(file *os.File) error { return file.Chmod(0o600) }
	}
	err := ownfile.CheckOwn(path, info)
	if err == nil {
		err = narrow(file)
	}
	if err != nil {
		return exposed(fmt.Sprintf("credential file %s can be read", path), "chmod 600 "+commandline.Word(path), err)
	}
	c.warn("credential file could be read by others; narrowed to 0600", path)
	return nil
}

// exposed is the error of what others can reach and what could not be narrowed.
func exposed(what, command string, err error) *Error {
	return &Error{Class: Configuration, Message: fmt.Sprintf("%s by others and could not be narrowed: %v", what, Cause(err)), Command: command, Cause: err}
}

// protectDirectories makes sure that no other user can put a credential into the cache. A directory that is missing, or
// whose mode cannot be read, is no error here: reading it gives one.
func (c *Cache) protectDirectories() error {
	for _, path := range []string{c.Root, c.directory()} {
		info, err := c.directoryInfo(path)
		if err != nil {
			return err
		}
		if info == nil || c.AsIs || !ownfile.IsShared(info) {
			continue
		}
		if path == c.Root && info.Mode()&fs.ModeSticky != 0 {
			continue // such as /tmp, where everybody keeps what is theirs
		}
		if err := ownfile.NarrowDirectory(path, ^fs.FileMode(0o022)); err != nil {
			return exposed(fmt.Sprintf("the credential cache %s can be written", path), "chmod go-w "+commandline.Word(path), err)
		}
		c.warn("the credential cache could be written by others; narrowed", path)
	}
	return nil
}

// directoryInfo describes a directory of the cache; nil if there is none. Its error is that of a directory of another user, and of
// a clients directory that is a link. The root may be a link of the user's own.
func (c *Cache) directoryInfo(path string) (fs.FileInfo, error) {
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

func (c *Cache) warn(message, path string) {
	if c.Logger != nil {
		c.Logger.Warn(message, "path", path)
	}
}
