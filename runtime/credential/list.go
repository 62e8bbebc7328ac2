package credential

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Listed is one file of the cache.
type Listed struct {
	Path   string
	Grants []*Entry // the first is used if no grant is named
	Err    error    // why the file is unusable; nil otherwise
}

// List returns every file of the cache, ordered by name. A missing cache is empty. A directory that cannot be read is an error of
// class Configuration.
func (c *Cache) List() ([]Listed, error) {
	files, err := os.ReadDir(c.directory())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Misconfigured(
			fmt.Sprintf("the credential cache %s cannot be read: %v", c.Root, Cause(err)),
			"pass --cache-root with a directory that you can read", err)
	}
	var listed []Listed
	for _, file := range files {
		if name := file.Name(); strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
			listed = append(listed, c.listed(filepath.Join(c.directory(), name)))
		}
	}
	return listed, nil
}

// Providers returns the URL of each provider with a usable file, in the order of List. If grants are named by their ids or labels, and
// there are several providers, it returns those that have one of them, or the error UnknownGrant.
func (c *Cache) Providers(names ...string) ([]string, error) {
	files, err := c.List()
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file Listed) bool { return file.Err != nil })
	if len(files) > 1 && len(names) > 0 {
		var grants []*Entry
		for _, file := range files {
			grants = append(grants, file.Grants...)
		}
		files = slices.DeleteFunc(files, func(file Listed) bool {
			return len(Named(file.Grants, names)) == 0
		})
		if len(files) == 0 {
			return nil, c.UnknownGrant(names[0], grants)
		}
	}
	var urls []string
	for _, file := range files {
		urls = append(urls, file.Grants[0].ProviderURL)
	}
	return urls, nil
}

// SeveralError reports that several providers are connected and one must be chosen.
type SeveralError struct {
	Refusal *Error
	URLs    []string
	Apart   bool // they cannot be read together
}

func (e *SeveralError) Error() string { return e.Refusal.Error() }

// Unwrap returns the refusal.
func (e *SeveralError) Unwrap() error { return e.Refusal }

// OnlyProvider returns the only URL of Providers. It returns an error of class Usage if there is none, and a *SeveralError if there
// are several.
func (c *Cache) OnlyProvider(names ...string) (string, error) {
	urls, err := c.Providers(names...)
	switch {
	case err != nil:
		return "", err
	case len(urls) == 1:
		return urls[0], nil
	case len(urls) == 0:
		return "", &Error{Class: Usage, Message: "no provider URL, and none is connected", Command: c.connectCommand("")}
	}
	return "", &SeveralError{URLs: urls, Refusal: &Error{
		Class:    Usage,
		Message:  fmt.Sprintf("no provider URL, and %d are connected: %s", len(urls), strings.Join(urls, ", ")),
		NextStep: nameProvider,
	}}
}

func (c *Cache) listed(path string) Listed {
	at := place{path: path} // the file names the provider
	var held contents
	err := c.readFile(at, func(data []byte) (err error) {
		if held, err = parseFile(data); err != nil {
			return c.malformed(at, err)
		}
		return nil
	})
	if err != nil {
		return Listed{Path: path, Err: err}
	}
	if wanted, err := c.Path(held.grants[0].ProviderURL); err != nil || filepath.Base(wanted) != filepath.Base(path) {
		return Listed{Path: path, Err: c.malformed(at, errMisnamed)}
	}
	return Listed{Path: path, Grants: held.grants}
}

var errMisnamed = errors.New("its name does not belong to its provider_url")
