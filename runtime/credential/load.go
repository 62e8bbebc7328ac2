package credential

import (
	"fmt"
	"time"
)

// Selection says which credential is wanted.
type Selection struct {
	ProviderURL string
	GrantID     string // empty: whatever the cache holds
}

// Load gives the scoped credential of a provider. Owner credentials are of class Refused; missing,
// malformed, expired ones and those of another grant are of class Configuration (R-STDIO-2, R-STDIO-3).
func (c *Cache) Load(selection Selection, now time.Time) (*Entry, error) {
	entry, err := c.Read(selection.ProviderURL)
	if err != nil {
		return nil, err
	}
	// Read has accepted the URL, so it parses again.
	provider, _ := ParseProviderURL(selection.ProviderURL)
	credential := entry.Credential
	if mark := credential.OwnerMark(); mark != "" {
		return nil, &Error{
			Class:    Refused,
			Message:  fmt.Sprintf("the cached credential for %s is an owner credential (%s=owner), which is never used here", provider, mark),
			NextStep: connectStep(provider),
		}
	}
	if selection.GrantID != "" && credential.GrantID != selection.GrantID {
		return nil, unusable(provider, fmt.Sprintf("the cached credential for %s belongs to grant %q, not to %q",
			provider, credential.GrantID, selection.GrantID), nil)
	}
	if credential.Expired(now) {
		return nil, unusable(provider, fmt.Sprintf("the cached credential for %s expired at %s",
			provider, credential.ExpiresAt.Format(time.RFC3339)), nil)
	}
	return entry, nil
}
