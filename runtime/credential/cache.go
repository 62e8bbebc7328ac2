// Package credential finds the scoped token that a command reads with: in the local cache, in a
// file, or in the environment. Owner credentials are refused wherever they are found.
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

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// largestFile bounds a cache file in bytes. A grant takes 1 KiB, and up to 10 KiB with the fields that were approved.
const largestFile = 1 << 20

// Cache is a directory of scoped credentials, one file for each provider, in the layout of
// interfaces.md that other PDPP tools share. Its methods are safe for concurrent use, also by
// several processes: one change waits for another, and a file is replaced whole or not at all.
type Cache struct {
	Root   string       // the cache root, such as ~/.pdpp
	Logger *slog.Logger // takes warnings; nil for none
	AsIs   bool         // leaves modes that are too wide as they are, to look and not to read with what is found

	unsaved      sync.Map             // credentials that were renewed and not written, by the access token that the file has still
	narrow       func(*os.File) error // takes the rights of others away; tests replace it
	lockPatience time.Duration        // 0: as long as locked waits; tests shorten it
}

// DefaultRoot is .pdpp in the working directory if that exists, else ~/.pdpp.
func DefaultRoot() (string, error) {
	if info, err := os.Stat(".pdpp"); err == nil && info.IsDir() {
		return ".pdpp", nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", Misconfigured(
			"there is no .pdpp directory here and no home directory",
			"pass --cache-root or set PDPP_CACHE_ROOT", err)
	}
	return filepath.Join(home, ".pdpp"), nil
}

// NamedRoot is the root as a command line has to name it: empty for the one that a command finds without a flag.
func (c *Cache) NamedRoot() string {
	if root, err := DefaultRoot(); err == nil && root == c.Root {
		return ""
	}
	return c.Root
}

// Path is the file of a provider, whether or not it exists.
func (c *Cache) Path(providerURL string) (string, error) {
	place, err := c.place(providerURL)
	return place.path, err
}

// place is where the credentials of a provider are.
type place struct {
	provider string // its URL in one spelling
	path     string // the file
}

func (c *Cache) place(providerURL string) (place, error) {
	provider, err := ParseProviderURL(providerURL)
	if err != nil {
		return place{}, err
	}
	return place{provider, filepath.Join(c.directory(), cacheKey(provider)+".json")}, nil
}

// ActivityPath is where the account of what was read with the cache's credentials is kept (R-OPS-2).
func (c *Cache) ActivityPath() string { return filepath.Join(c.Root, "activity", "calls.jsonl") }

// PrepareActivity gives ActivityPath, and keeps it out of version control as far as the root can be written.
func (c *Cache) PrepareActivity() string {
	if os.MkdirAll(c.Root, 0o700) == nil {
		_ = c.exclude() // who keeps the account says that it cannot be written
	}
	return c.ActivityPath()
}

func (c *Cache) directory() string { return filepath.Join(c.Root, "clients") }

// read gives what the file of a provider holds. The error of a file that holds no credential wraps errMalformed; the members of an
// object of this provider come with it.
func (c *Cache) read(at place) (held contents, err error) {
	err = c.readFile(at, func(data []byte) error {
		held, err = parseFile(data)
		// Two providers can share a file name, and a token goes only to the one that it was issued for.
		stored, urlErr := ParseProviderURL(held.members.Text("provider_url"))
		if stored != at.provider {
			held = contents{}
		}
		switch {
		case stored != at.provider && (err == nil || urlErr == nil): // whatever another one's file holds, it is not replaced or removed
			return c.unusable(at.provider, fmt.Sprintf("credential file %s was not written for %s", at.path, at.provider), urlErr)
		case err != nil:
			return c.malformed(at, err)
		}
		return nil
	})
	if err != nil {
		held.grants = nil // also of a file that stays exposed
	}
	for _, entry := range held.grants {
		if renewed, isUnsaved := c.unsaved.Load(entry.Credential.AccessToken.Reveal()); isUnsaved {
			entry.Credential = renewed.(Credential)
		}
	}
	return held, err
}

// malformed is a file that holds no credential. Where no provider is named, it cannot be replaced.
func (c *Cache) malformed(at place, err error) *Error {
	malformed := c.unusable(at.provider, fmt.Sprintf("credential file %s is malformed: %v", at.path, err), fmt.Errorf("%w: %w", errMalformed, err))
	if at.provider == "" {
		malformed.NextStep, malformed.Command = "remove it and run: "+malformed.Command, ""
	}
	return malformed
}

// readFile lets use have what a file holds, and narrows the file when that is what use expects.
func (c *Cache) readFile(at place, use func(data []byte) error) error {
	if err := c.protectDirectories(); err != nil {
		return err
	}
	var data []byte
	file, info, err := ownfile.Open(at.path, os.O_RDONLY)
	if err == nil {
		defer file.Close()
		if err = ownfile.CheckOwner(at.path, info); err == nil {
			data, err = io.ReadAll(io.LimitReader(file, largestFile+1))
		}
	}
	foreign, isForeign := errors.AsType[*ownfile.Fault](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.unusable(at.provider, fmt.Sprintf("no credential for %s in %s", at.provider, c.Root), err)
	case isForeign:
		return c.unusable(at.provider, "credential file "+foreign.Error(), err)
	case err != nil:
		return c.unusable(at.provider, fmt.Sprintf("credential file %s cannot be read: %v", at.path, Cause(err)), err)
	case len(data) > largestFile:
		return c.unusable(at.provider, fmt.Sprintf("credential file %s is larger than %d bytes", at.path, largestFile), nil)
	}
	if err := use(data); err != nil {
		return err
	}
	return c.protect(file, info, at.path)
}

// errMalformed is a file that holds no credential, for whatever reason.
var errMalformed = errors.New("malformed")

// unusable is the error of a credential that only a new one can replace.
func (c *Cache) unusable(provider, message string, err error) *Error {
	return &Error{Class: Configuration, Message: message, Command: c.connectCommand(provider), Cause: err}
}

// connectCommand is the way out of every missing or unusable credential. Without a provider it shows where its URL stands.
func (c *Cache) connectCommand(provider string) string {
	return commandline.Connect(provider, c.NamedRoot())
}

// Cause is what went wrong with a file without its path, for a message that names the path itself.
func Cause(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return failed.Err
	}
	if foreign, ok := errors.AsType[*ownfile.Fault](err); ok {
		return errors.New("it " + foreign.Reason)
	}
	return err
}
