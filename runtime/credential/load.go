package credential

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Selection says which credential is wanted.
type Selection struct {
	ProviderURL string
	GrantID     string // empty: the grant that was connected last
}

// Load gives the scoped credential of a provider. Owner credentials are of class Refused; missing,
// malformed, expired ones and those of another grant are of class Configuration (R-STDIO-2, R-STDIO-3).
func (c *Cache) Load(selection Selection, now time.Time) (*Entry, error) {
	at, err := c.place(selection.ProviderURL)
	if err != nil {
		return nil, err
	}
	grants, err := c.grants(at)
	if err != nil {
		return nil, err
	}
	provider := at.provider
	entry := grants[0]
	if selection.GrantID != "" {
		i := slices.IndexFunc(grants, func(e *Entry) bool { return e.Credential.GrantID == selection.GrantID })
		if i < 0 {
			return nil, c.anotherGrant(provider, grants, selection.GrantID)
		}
		entry = grants[i]
	}
	credential := entry.Credential
	if mark := credential.OwnerMark(); mark != "" {
		return nil, &Error{
			Class:   Refused,
			Message: fmt.Sprintf("the cached credential for %s is an owner credential (%s=owner), which is never used here", provider, mark),
			Command: c.connectCommand(provider),
		}
	}
	if credential.Expired(now) {
		return nil, c.unusable(provider, fmt.Sprintf("the cached credential for %s expired at %s",
			provider, credential.ExpiresAt.Format(time.RFC3339)), nil)
	}
	return entry, nil
}

// anotherGrant names the grants that are there.
func (c *Cache) anotherGrant(provider string, grants []*Entry, wanted string) *Error {
	if len(grants) == 1 {
		return c.unusable(provider, fmt.Sprintf("the cached credential for %s belongs to grant %q, not to %q",
			provider, grants[0].Credential.GrantID, wanted), nil)
	}
	held := make([]string, len(grants))
	for i, entry := range grants {
		held[i] = fmt.Sprintf("%q", entry.Credential.GrantID)
	}
	return c.unusable(provider, fmt.Sprintf("the cached credentials for %s belong to the grants %s, not to %q",
		provider, strings.Join(held, ", "), wanted), nil)
}
