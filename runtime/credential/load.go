package credential

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/commandline"
	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
)

// Selection chooses credentials.
type Selection struct {
	ProviderURL string
	Grants      []string // ids or labels; empty: every grant of the provider
}

// Load returns the first usable credential of Select.
func (c *Cache) Load(selection Selection, now time.Time) (*Entry, error) {
	grants, err := c.Select(selection, now)
	if err != nil {
		return nil, err
	}
	return grants[slices.IndexFunc(grants, func(e *Entry) bool { return e.Credential.Usable(now) })], nil
}

// Select returns the chosen credentials of a provider, the latest first. At least one is usable. An owner credential is an error of
// class Refused; missing, malformed or expired credentials and unknown names are errors of class Configuration (R-STDIO-2, R-STDIO-3).
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
			return nil, c.UnknownGrant(selection.Grants[i], wanted)
		}
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(e *Entry) bool { return !slices.ContainsFunc(named, e.Credential.HasName) })
	}
	return wanted, c.refuse(at.provider, wanted, now)
}

// Named returns the names that are the id or label of one of the grants.
func Named(grants []*Entry, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(grants, func(e *Entry) bool { return e.Credential.HasName(name) })
	})
}

// refuse returns an error for an owner credential, and if no credential is usable.
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

// UnknownGrant returns the error for a name that is neither the id nor the label of a grant. It lists the grants, the nearest first.
func (c *Cache) UnknownGrant(name string, grants []*Entry) *Error {
	var names, shown []string
	for _, each := range grants {
		names = append(names, each.Credential.GrantID, each.Credential.Label)
	}
	names = nearname.Order(name, names)
	grants = slices.SortedStableFunc(slices.Values(grants), func(a, b *Entry) int {
		first := func(e *Entry) int { return slices.IndexFunc(names, e.Credential.HasName) }
		return cmp.Compare(first(a), first(b))
	})
	for _, each := range grants[:min(len(grants), grantsShown)] {
		shown = append(shown, each.Credential.Name())
	}
	message := fmt.Sprintf("unknown grant %q", name)
	if meant := nearname.Nearest(name, names); meant != "" {
		message += fmt.Sprintf(", did you mean %q?", meant)
	}
	if shown != nil {
		message += "; stored: " + strings.Join(shown, ", ")
	}
	return &Error{Class: Configuration, Message: message, Command: commandline.Connections(c.NamedRoot())}
}

// grantsShown is the maximum number of grants that an error lists.
const grantsShown = 8

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
