// Package credential finds the scoped token that a command reads with: in the local cache, in a
// file, or in the environment. Owner credentials are refused wherever they turn up.
package credential

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
)

// largestFile bounds a cache file in bytes; real ones are below 2 KiB.
const largestFile = 64 << 10

// Cache is a directory of scoped credentials, one file for each provider, in the layout of
// interfaces.md that other PDPP tools share. Its methods are safe for concurrent use, also by
// several processes: changes take turns, and a file is replaced whole or not at all.
type Cache struct {
	Root   string       // the cache root, such as ~/.pdpp
	Logger *slog.Logger // takes warnings; nil for none

	narrow       func(*os.File) error // takes the rights of others away; tests replace it
	lockPatience time.Duration        // 0: as inTurn waits; tests shorten it
}

// DefaultRoot is .pdpp in the working directory if that exists, else ~/.pdpp.
func DefaultRoot() (string, error) {
	if info, err := os.Stat(".pdpp"); err == nil && info.IsDir() {
		return ".pdpp", nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &Error{
			Class:    Configuration,
			Message:  "there is no .pdpp directory here and no home directory",
			NextStep: "pass --cache-root or set PDPP_CACHE_ROOT",
			Cause:    err,
		}
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
	provider, err := ParseProviderURL(providerURL)
	if err != nil {
		return "", err
	}
	return filepath.Join(c.directory(), cacheKey(provider)+".json"), nil
}

func (c *Cache) directory() string { return filepath.Join(c.Root, "clients") }

// Read gives the entry of a provider. A file that others can read is narrowed to 0600 with a warning, a directory that
// others can write loses those rights with one, and either is refused when that fails (R-STDIO-2). Only the user's own
// are narrowed, and a file only when it is a credential; links to files are not followed. Errors of the file are of
// class Configuration.
func (c *Cache) Read(providerURL string) (*Entry, error) {
	path, err := c.Path(providerURL)
	if err != nil {
		return nil, err
	}
	// Path has accepted the URL, so it parses again.
	provider, _ := ParseProviderURL(providerURL)
	var entry *Entry
	err = c.readFile(path, provider, func(data []byte) (err error) {
		entry, err = c.readEntry(data, path, provider)
		return err
	})
	return entry, err
}

// readEntry makes sure of the provider: two of them can share a file name, and a token goes only to the one
// that it was issued for.
func (c *Cache) readEntry(data []byte, path, provider string) (*Entry, error) {
	entry, err := parseEntry(data)
	if err != nil {
		return nil, c.unusable(provider, fmt.Sprintf("credential file %s is malformed: %v", path, err), fmt.Errorf("%w: %w", errMalformed, err))
	}
	stored, err := ParseProviderURL(entry.ProviderURL)
	if err != nil || stored != provider {
		return nil, c.unusable(provider, fmt.Sprintf("credential file %s was not written for %s", path, provider), err)
	}
	return entry, nil
}

// readFile lets use have what a file holds, and narrows the file when that is what use expects.
func (c *Cache) readFile(path, provider string, use func(data []byte) error) error {
	if err := c.protectDirectories(); err != nil {
		return err
	}
	file, info, err := ownfile.Open(path, os.O_RDONLY)
	var foreign *ownfile.Fault
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.unusable(provider, fmt.Sprintf("no credential for %s in %s", provider, c.Root), err)
	case errors.As(err, &foreign):
		return c.unusable(provider, "credential file "+foreign.Error(), err)
	case err != nil:
		return c.unusable(provider, fmt.Sprintf("credential file %s cannot be read: %v", path, cause(err)), err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	switch {
	case err != nil:
		return c.unusable(provider, fmt.Sprintf("credential file %s cannot be read: %v", path, cause(err)), err)
	case len(data) > largestFile:
		return c.unusable(provider, fmt.Sprintf("credential file %s is larger than %d bytes", path, largestFile), nil)
	}
	if err := use(data); err != nil {
		return err
	}
	return c.protect(file, info, path)
}

// errMalformed is a file that holds no credential, for whatever reason.
var errMalformed = errors.New("malformed")

// unusable is the error of a credential that only a new one can replace.
func (c *Cache) unusable(provider, message string, err error) *Error {
	return &Error{Class: Configuration, Message: message, NextStep: c.connectStep(provider), Cause: err}
}

// connectStep is the way out of every missing or unusable credential. Without a provider it shows where its URL stands.
func (c *Cache) connectStep(provider string) string {
	return "run: " + commandline.Connect(provider, c.NamedRoot())
}

// cause gives what went wrong without the path, which the message already names.
func cause(err error) error {
	var pathError *fs.PathError
	var foreign *ownfile.Fault
	switch {
	case errors.As(err, &pathError):
		return pathError.Err
	case errors.As(err, &foreign):
		return errors.New("it " + foreign.Reason)
	}
	return err
}
