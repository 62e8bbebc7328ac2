package credential

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
)

// Selection says which credentials are wanted.
type Selection struct {
	ProviderURL string
	Grants      []string // ids or labels of grants; none: every grant of the provider
}

// Load gives the first credential of Select that is usable: the one that was connected last, unless grants are named.
func (c *Cache) Load(selection Selection, now time.Time) (*Entry, error) {
	grants, err := c.Select(selection, now)
	if err != nil {
		return nil, err
	}
	return grants[slices.IndexFunc(grants, func(e *Entry) bool { return e.Credential.Usable(now) })], nil
}

// Select gives the scoped credentials of a provider that are wanted, at least one of them usable, the one that was connected
// last first. Owner credentials are of class Refused; that all are missing, malformed or expired, and a name that no grant has,
// are of class Configuration (R-STDIO-2, R-STDIO-3).
func (c *Cache) Select(selection Selection, now time.Time) ([]*Entry, error) {
	at, err := c.place(selection.ProviderURL)
	if err != nil {
		return nil, err
	}
	held, err := c.read(at)
	if err != nil {
		return nil, err
	}
	wanted := held.grants
	if len(selection.Grants) > 0 {
		named := Named(wanted, selection.Grants)
		if i := slices.IndexFunc(selection.Grants, func(name string) bool { return !slices.Contains(named, name) }); i >= 0 {
			return nil, c.anotherGrant(at.provider, wanted, selection.Grants[i])
		}
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(e *Entry) bool { return !slices.ContainsFunc(named, e.Credential.HasName) })
	}
	return wanted, c.refuse(at.provider, wanted, now)
}

// Named are those of the names that one of the grants has as its id or label.
func Named(grants []*Entry, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(grants, func(e *Entry) bool { return e.Credential.HasName(name) })
	})
}

// refuse gives an error for an owner credential among grants, and when none is usable.
func (c *Cache) refuse(provider string, grants []*Entry, now time.Time) error {
	isUsable := false
	for _, entry := range grants {
		if mark := entry.Credential.OwnerMark(); mark != "" {
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
	return c.unusable(provider, fmt.Sprintf("the cached credential for %s expired at %s",
		provider, grants[0].Credential.ExpiresAt.Format(time.RFC3339)), nil)
}

// NoGrant is the refusal of a name that no grant of any provider has.
func (c *Cache) NoGrant(name string) *Error {
	return &Error{
		Class: Configuration, Message: fmt.Sprintf("no cached credential is of the grant %q", name), Command: commandline.Connections(c.NamedRoot()),
	}
}

// anotherGrant names the grants that are there.
func (c *Cache) anotherGrant(provider string, grants []*Entry, wanted string) *Error {
	form := "the cached credential for %s belongs to grant %s, not to %q"
	if len(grants) > 1 {
		form = "the cached credentials for %s belong to the grants %s, not to %q"
	}
	held := make([]string, len(grants))
	for i, entry := range grants {
		held[i] = strconv.Quote(entry.Credential.GrantID)
	}
	return c.unusable(provider, fmt.Sprintf(form, provider, strings.Join(held, ", "), wanted), nil)
}
