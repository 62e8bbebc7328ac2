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
	Grants []*Entry // the first is the one that is used without a grant id
	Err    error    // why the file cannot be used; nil when it can
}

// List gives every file of the cache in the order of their names. An absent cache is an empty one; the error is
// that of a directory that cannot be read, of class Configuration.
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

// Providers gives the URL of each provider with a file that can be used, in the order of List. Where grants are named, by their
// ids or labels, it is that of each provider that has one of them: the names of one file alone are for Select to judge, and that
// no file has any is the error UnknownGrant.
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

// SeveralError is a refusal to read several providers that are connected.
type SeveralError struct {
	Refusal *Error
	URLs    []string
	Apart   bool // they cannot be read as one
}

func (e *SeveralError) Error() string { return e.Refusal.Error() }

// Unwrap gives the refusal.
func (e *SeveralError) Unwrap() error { return e.Refusal }

// OnlyProvider gives the URL of the provider that a command reads when none is named: the only one of Providers. The error is
// one of class Usage when there is none or there are several, then a *SeveralError, else that of Providers.
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
	at := place{path: path} // which provider it is, the file says
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

// errMisnamed is a file that no command looks for.
var errMisnamed = errors.New("its name does not belong to its provider_url")
