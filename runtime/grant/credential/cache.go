// Package credential stores and finds scoped tokens: in the local cache, in a file, or in the environment. Commands and
// the local server read with them. Owner credentials are refused wherever they are found. Package connect obtains new
// ones.
package credential

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
)

const maxFileBytes = 1 << 20 // a grant takes 1 to 10 KiB

// Cache is a directory of scoped credentials with one file per provider, in the layout that PDPP tools share
// (docs/interfaces.md). Its methods are safe for concurrent use by goroutines and processes. Files are replaced
// atomically.
type Cache struct {
	Root      string       // the cache root, such as ~/.pdpp
	Logger    *slog.Logger // for warnings; may be nil
	KeepModes bool         // do not change modes that are too wide; for callers that do not use the tokens

	unsaved      sync.Map      // renewed credentials that could not be written, by the replaced access token
	lockPatience time.Duration // 0: lockPatience; shortened by tests
}

// DefaultRoot returns .pdpp in the working directory if that exists, otherwise ~/.pdpp.
func DefaultRoot() (string, error) {
	if info, err := os.Stat(".pdpp"); err == nil && info.IsDir() {
		return ".pdpp", nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", Misconfigured("there is no .pdpp directory here and no home directory", "pass --cache-root or set PDPP_CACHE_ROOT", err)
	}
	return filepath.Join(home, ".pdpp"), nil
}

// NamedRoot returns the root for a command line. It is empty for the default root and without a cache.
func (c *Cache) NamedRoot() string {
	if root, err := DefaultRoot(); c == nil || err == nil && root == c.Root {
		return ""
	}
	return c.Root
}

// Path returns the file of a provider. The file need not exist.
func (c *Cache) Path(providerURL string) (string, error) {
	provider, err := ParseProviderURL(providerURL)
	if err != nil {
		return "", err
	}
	return filepath.Join(c.directory(), cacheKey(provider)+".json"), nil
}

// ActivityPath returns the audit file of this machine (R-OPS-2).
func (c *Cache) ActivityPath() string { return filepath.Join(c.Root, "activity", "calls.jsonl") }

// PrepareActivity returns ActivityPath and keeps it out of version control.
func (c *Cache) PrepareActivity() string {
	_ = os.MkdirAll(c.Root, 0o700)
	_ = c.ignoreInGit() // the audit log reports a root that cannot be written
	return c.ActivityPath()
}

func (c *Cache) directory() string { return filepath.Join(c.Root, "clients") }

// read returns the content of a provider's file. The error of a file without a credential wraps errMalformed; the
// members come with it if the file names this provider.
func (c *Cache) read(providerURL string) (held contents, err error) {
	if held.provider, err = ParseProviderURL(providerURL); err != nil {
		return held, err
	}
	held.path, _ = c.Path(held.provider)
	err = c.readFile(held.provider, held.path, func(data []byte) error {
		members, grants, err := parseFile(data)
		// Two providers can share a file name, and a token goes only to the one that it was issued for.
		stored, urlErr := ParseProviderURL(members.Text("provider_url"))
		if stored == held.provider {
			held.members, held.grants = members, grants
		}
		switch {
		case stored != held.provider && (err == nil || urlErr == nil): // the file of another provider is neither replaced nor removed
			return c.unusableError(held.provider, fmt.Sprintf("credential file %s was not written for %s", held.path, held.provider), urlErr)
		case err != nil:
			return c.malformedError(held.provider, held.path, err)
		}
		return nil
	})
	if err != nil {
		held.grants = nil // the file may still be exposed
	}
	for _, entry := range held.grants {
		if renewed, isUnsaved := c.unsaved.Load(entry.Credential.AccessToken.Reveal()); isUnsaved {
			entry.Credential = renewed.(Credential)
		}
	}
	return held, err
}

func (c *Cache) logger() *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}

var errMalformed = errors.New("malformed")

func (c *Cache) malformedError(provider, path string, err error) *Error {
	malformed := c.unusableError(provider, fmt.Sprintf("credential file %s is malformed: %v", path, err), fmt.Errorf("%w: %w", errMalformed, err))
	if provider == "" {
		malformed.NextStep, malformed.Command = "remove it and run: "+malformed.Command, ""
	}
	return malformed
}

// readFile passes the content of a file to use. If use returns nil, it makes the file private. The provider may be
// empty.
func (c *Cache) readFile(provider, path string, use func(data []byte) error) error {
	if err := c.protectDirectories(); err != nil {
		return err
	}
	var data []byte
	file, info, err := ownfile.Open(path, os.O_RDONLY)
	if err == nil {
		defer file.Close()
		if err = ownfile.CheckOwner(path, info); err == nil {
			data, err = io.ReadAll(io.LimitReader(file, maxFileBytes+1))
		}
	}
	fault, isFault := errors.AsType[*ownfile.Fault](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.unusableError(provider, fmt.Sprintf("no credential for %s in %s", provider, c.Root), err)
	case isFault:
		return c.unusableError(provider, "credential file "+fault.Error(), err)
	case err != nil:
		return c.unusableError(provider, fmt.Sprintf("credential file %s cannot be read: %v", path, Cause(err)), err)
	case len(data) > maxFileBytes:
		return c.unusableError(provider, fmt.Sprintf("credential file %s is larger than %d bytes", path, maxFileBytes), nil)
	}
	if err := use(data); err != nil {
		return err
	}
	return c.protect(file, info, path)
}

// unusableError returns the error of a credential that connect can replace.
func (c *Cache) unusableError(provider, message string, err error) *Error {
	return &Error{Class: Configuration, Message: message, Command: c.connectCommand(provider), Cause: err}
}

func (c *Cache) connectCommand(provider string) string {
	return commandline.Connect(provider, c.NamedRoot())
}

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

// protectDirectories ensures that no other user can add a credential to the cache. Missing directories are allowed.
// Only the root may be a link; foreign directories are refused.
func (c *Cache) protectDirectories() error {
	for _, path := range []string{c.Root, c.directory()} {
		info, err := os.Lstat(path)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 && path == c.Root {
			info, err = os.Stat(path)
		}
		if err != nil {
			continue
		}
		fault := ownfile.CheckOwner(path, info)
		if info.Mode()&fs.ModeSymlink != 0 {
			fault = &ownfile.Fault{Path: path, Reason: "is a symbolic link"}
		}
		if fault != nil {
			return Misconfigured("the credential cache cannot be used: "+fault.Error(),
				"replace it with a directory that you own, or pass another --cache-root", fault)
		}
		isSharedRoot := path == c.Root && info.Mode()&fs.ModeSticky != 0 // such as /tmp
		if c.KeepModes || isSharedRoot || !ownfile.IsShared(info) {
			continue
		}
		if err := ownfile.NarrowDirectory(path, ^fs.FileMode(0o022)); err != nil {
			return exposedError("the credential cache "+path+" can be written", "chmod go-w "+commandline.Word(path), err)
		}
		c.logger().Warn("the credential cache could be written by others; narrowed", "path", path)
	}
	return nil
}
