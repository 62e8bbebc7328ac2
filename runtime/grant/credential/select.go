package credential

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
)

// Listed is one file of the cache.
type Listed struct {
	Path   string
	Grants []*Entry // the first is used if no grant is named
	Err    error    // why the file is unusable; nil otherwise
}

// List returns every file of the cache, ordered by name. A missing cache is empty.
func (c *Cache) List() ([]Listed, error) {
	files, err := os.ReadDir(c.directory())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Misconfigured(fmt.Sprintf("the credential cache %s cannot be read: %v", c.Root, Cause(err)),
			"pass --cache-root with a directory that you can read", err)
	}
	var found []Listed
	for _, file := range files {
		if name := file.Name(); strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
			found = append(found, c.listFile(filepath.Join(c.directory(), name)))
		}
	}
	return found, nil
}

// Providers returns the URL of each provider with a usable file, in the order of List. If grants are named by their ids
// or labels, and there are several providers, it returns those that have one of them, or the error of CheckNames.
func (c *Cache) Providers(names ...string) ([]string, error) {
	files, err := c.List()
	if err != nil {
		return nil, err
	}
	var all, urls []string
	var grants []*Entry
	for _, file := range files {
		if file.Err != nil {
			continue
		}
		url := file.Grants[0].ProviderURL
		all, grants = append(all, url), append(grants, file.Grants...)
		if len(Named(file.Grants, names)) > 0 {
			urls = append(urls, url)
		}
	}
	switch {
	case len(names) == 0 || len(all) < 2:
		return all, nil
	case urls == nil:
		return nil, c.CheckNames(names, grants)
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

func (e *SeveralError) Unwrap() error { return e.Refusal }

// OnlyProvider returns the only URL of Providers. It returns the error of noProvider without any, a *SeveralError with
// several.
func (c *Cache) OnlyProvider(names ...string) (string, error) {
	urls, err := c.Providers(names...)
	switch {
	case err != nil:
		return "", err
	case len(urls) == 1:
		return urls[0], nil
	case len(urls) == 0:
		return "", c.noProvider()
	}
	message := fmt.Sprintf("no provider URL, and %d are connected: %s", len(urls), strings.Join(urls, ", "))
	return "", &SeveralError{URLs: urls, Refusal: Misused(message, providerStep, nil)}
}

// noProvider returns the error of the first unusable file, or an error of class Usage if the cache has no file.
func (c *Cache) noProvider() error {
	files, err := c.List()
	if err != nil {
		return err
	}
	for _, file := range files {
		if file.Err != nil {
			return file.Err
		}
	}
	return &Error{Class: Usage, Message: "no provider URL, and none is connected", Command: c.connectCommand("")}
}

func (c *Cache) listFile(path string) Listed {
	found := Listed{Path: path}
	found.Err = c.readFile("", path, func(data []byte) error {
		_, grants, err := parseFile(data)
		if err == nil {
			if wanted, urlErr := c.Path(grants[0].ProviderURL); urlErr != nil || filepath.Base(wanted) != filepath.Base(path) {
				err = errors.New("its name does not belong to its provider_url")
			}
		}
		if err != nil {
			return c.malformedError("", path, err)
		}
		found.Grants = grants
		return nil
	})
	return found
}

// Load returns the first usable credential of Select.
func (c *Cache) Load(providerURL string, names []string, now time.Time) (*Entry, error) {
	grants, err := c.Select(providerURL, names, now)
	if err != nil {
		return nil, err
	}
	return grants[slices.IndexFunc(grants, func(e *Entry) bool { return e.Credential.Usable(now) })], nil
}

// Select returns the credentials of a provider with one of the names, which are ids or labels, or all without names,
// the latest first. At least one is usable. An owner credential is an error of class Refused; missing, malformed or
// expired credentials and unknown names are errors of class Configuration (R-STDIO-2, R-STDIO-3).
func (c *Cache) Select(providerURL string, names []string, now time.Time) ([]*Entry, error) {
	held, err := c.read(providerURL)
	if err != nil {
		return nil, err
	}
	wanted := held.grants
	if err := c.CheckNames(names, wanted); err != nil {
		return nil, err
	}
	if len(names) > 0 {
		wanted = slices.DeleteFunc(wanted, func(e *Entry) bool { return !slices.ContainsFunc(names, e.Credential.HasName) })
	}
	return wanted, c.refuse(held.provider, wanted, now)
}

// Named returns the names that are the id or label of one of the grants.
func Named(grants []*Entry, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(grants, func(e *Entry) bool { return e.Credential.HasName(name) })
	})
}

func (c *Cache) refuse(provider string, grants []*Entry, now time.Time) error {
	isUsable := false
	for _, entry := range grants {
		if mark := entry.Credential.OwnerMember(); mark != "" {
			return &Error{
				Class:   Refused,
				Message: fmt.Sprintf("the cached credential for %s is an owner credential (%s=owner), which is never used here", provider, mark),
				Command: c.connectCommand(provider),
			}
		}
		isUsable = isUsable || entry.Credential.Usable(now)
	}
	if isUsable {
		return nil
	}
	return c.unusableError(provider, fmt.Sprintf("the cached credential for %s expired at %s",
		provider, grants[0].Credential.ExpiresAt.Format(time.RFC3339)), nil)
}

// CheckNames returns an error of class Configuration if a name is neither the id nor the label of a grant.
func (c *Cache) CheckNames(names []string, grants []*Entry) error {
	known := Named(grants, names)
	if i := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(known, name) }); i >= 0 {
		return c.unknownGrant(names[i], grants)
	}
	return nil
}

// unknownGrant returns the error for an unknown name. It lists the grants, the nearest first.
func (c *Cache) unknownGrant(name string, grants []*Entry) *Error {
	var names, shown []string
	for _, each := range grants {
		names = append(names, each.Credential.GrantID, each.Credential.Label)
	}
	for _, near := range nearname.Order(name, names) {
		if i := slices.IndexFunc(grants, func(e *Entry) bool { return e.Credential.HasName(near) }); i >= 0 && len(shown) < grantsShown {
			shown = union(shown, []string{grants[i].Credential.Name()})
		}
	}
	message := fmt.Sprintf("unknown grant %q", name)
	if near := nearname.Nearest(name, names); near != "" {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	if shown != nil {
		message += "; stored: " + strings.Join(shown, ", ")
	}
	return &Error{Class: Configuration, Message: message, Command: commandline.Read("connections", "", c.NamedRoot())}
}

const grantsShown = 8 // in an error

// Name returns the grant's label and id for a message, such as "work (grt_1)".
func (c Credential) Name() string {
	switch {
	case c.GrantID == "":
		return cmp.Or(c.Label, "without an id")
	case c.Label == "":
		return c.GrantID
	}
	return c.Label + " (" + c.GrantID + ")"
}
