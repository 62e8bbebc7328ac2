package credential

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// otherGrants is the member of a cache file with the grants other than the one in credential. It is an array of objects
// with the members of the file itself, without provider_url. Other tools read the grant that was connected last, and
// keep this member.
const otherGrants = "other_grants"

const maxDepth = 64 // nesting of a file

// contents is the file of one provider.
type contents struct {
	provider string // normalized URL
	path     string
	members  rawjson.Object
	grants   []*Entry // the first is the one in credential
}

// parseFile also returns the members with an error, if the file is a JSON object.
func parseFile(data []byte) (members rawjson.Object, grants []*Entry, err error) {
	// Duplicate members are refused at any depth, since readers differ in which one they take.
	members, err = rawjson.ReadObject(data, maxDepth)
	switch {
	case errors.Is(err, rawjson.ErrRepeatedName):
		return members, nil, errors.New("it has a duplicate member")
	case err != nil:
		return members, nil, errors.New("it is not a JSON object")
	}
	first, err := parseEntry(members)
	if err != nil {
		return members, nil, err
	}
	value := members.Get(otherGrants)
	others, isArray := rawjson.Elements(value)
	if value != nil && !isArray {
		return members, nil, &rawjson.MemberError{Member: otherGrants, Want: "an array of objects"}
	}
	grants = []*Entry{first}
	for i, each := range others {
		object, _ := rawjson.ParseObject(each) // nil has no credential
		other, err := parseEntry(object)
		if err != nil {
			return members, nil, fmt.Errorf("%s[%d]: %w", otherGrants, i, err)
		}
		other.ProviderURL = first.ProviderURL
		grants = append(grants, other)
	}
	return members, grants, nil
}

// tokenBound are members of a credential that describe its access token.
var tokenBound = append([]string{"id_token", "expires_in"}, rs.KindMembers...)

// Grants returns every stored credential of a provider, at least one. The first is used if no grant is named. A file
// that others can read becomes 0600 with a warning, and a directory that others can write loses that right; if that
// fails, an error is returned (R-STDIO-2). Links and files of other users are refused. Errors of the file are of class
// Configuration.
func (c *Cache) Grants(providerURL string) ([]*Entry, error) {
	held, err := c.read(providerURL)
	return held.grants, err
}

// Add stores a new credential as the one that is used if no grant is named. It replaces a credential of the same grant,
// and keeps other grants and unknown members. If another grant has the label of the new one, that grant loses it. A
// malformed file is replaced with a warning; the file of another provider is refused.
func (c *Cache) Add(entry *Entry) error { return c.add(entry, nil) }

// Replace stores a new credential like Add, and removes an ended one of another grant, unless its token was replaced
// meanwhile.
func (c *Cache) Replace(ended, entry *Entry) error { return c.add(entry, ended) }

func (c *Cache) add(entry, ended *Entry) error {
	if err := c.createDirectories(); err != nil {
		return err
	}
	return c.locked(func() error {
		held, isMalformed, err := c.readForAdd(entry.ProviderURL)
		if err != nil {
			return err
		}
		if isMalformed {
			c.logger().Warn("credential file is malformed; it is replaced", "path", held.path)
		}
		grants := []*Entry{entry}
		for _, old := range held.grants {
			switch {
			case old.Credential.GrantID == entry.Credential.GrantID:
				entry.inherit(old)
			case ended == nil || old.Credential.AccessToken.Reveal() != ended.Credential.AccessToken.Reveal():
				if old.Credential.Label == entry.Credential.Label {
					old.Credential.Label = ""
				}
				grants = append(grants, old)
			}
		}
		return c.storeGrants(held, grants)
	})
}

func (e *Entry) inherit(old *Entry) {
	e.Credential.Label = cmp.Or(e.Credential.Label, old.Credential.Label)
	if e.Credential.Details == nil {
		e.Credential.Details = old.Credential.Details
	}
	if e.Credential.LastUsedAt.IsZero() {
		e.Credential.LastUsedAt = old.Credential.LastUsedAt
	}
	e.Credential.members = secretOf(objectIn(old.Credential.members).Without(tokenBound...))
	if e.Client.ClientID == old.Client.ClientID {
		e.Client.members = old.Client.members
	}
}

// readForAdd returns the content to which a credential is added. It is empty if the file is missing or malformed.
func (c *Cache) readForAdd(providerURL string) (held contents, isMalformed bool, err error) {
	held, err = c.read(providerURL)
	isMalformed = errors.Is(err, errMalformed)
	if err == nil || isMalformed || errors.Is(err, fs.ErrNotExist) {
		return held, isMalformed, nil
	}
	if failure, ok := errors.AsType[*Error](err); ok && failure.Command == c.connectCommand(held.provider) { // connect cannot fix it
		err = &Error{Class: failure.Class, Message: failure.Message, NextStep: "move the file away, or pass another --cache-root", Cause: err}
	}
	return held, false, err
}

// Change calls change with the stored credential of one grant, under the lock of all processes, and returns the
// credential. Write stores it. An unknown grant is an error of class Configuration.
func (c *Cache) Change(providerURL, grantID string, change func(stored *Entry, write func() error) error) (stored *Entry, err error) {
	err = c.locked(func() error {
		held, err := c.read(providerURL)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(held.grants, func(e *Entry) bool { return e.Credential.GrantID == grantID })
		if i < 0 {
			return c.unknownGrant(grantID, held.grants)
		}
		stored = held.grants[i]
		return change(stored, func() error { return c.storeGrants(held, held.grants) })
	})
	return stored, err
}

// UseStep is the precision of a last use. It limits how often the file is written.
const UseStep = time.Hour

// NoteUse records that a grant was used, unless a use within UseStep is recorded.
func (c *Cache) NoteUse(entry *Entry, now time.Time) error {
	if entry.Credential.EndedAt.IsZero() && now.Sub(entry.Credential.LastUsedAt) < UseStep || entry.Credential.GrantID == "" {
		return nil
	}
	_, err := c.Change(entry.ProviderURL, entry.Credential.GrantID, func(stored *Entry, write func() error) error {
		stored.Credential.LastUsedAt, stored.Credential.EndedAt = now.UTC().Truncate(time.Second), time.Time{}
		return write()
	})
	return err
}

// NoteEnd records that the provider refused a grant as ended. A later use removes the record.
func (c *Cache) NoteEnd(entry *Entry, now time.Time) error {
	if !entry.Credential.EndedAt.IsZero() || entry.Credential.GrantID == "" {
		return nil
	}
	_, err := c.Change(entry.ProviderURL, entry.Credential.GrantID, func(stored *Entry, write func() error) error {
		if stored.Credential.AccessToken.Reveal() != entry.Credential.AccessToken.Reveal() {
			return nil // the refused token was replaced
		}
		stored.Credential.EndedAt = now.UTC().Truncate(time.Second)
		return write()
	})
	return err
}

// Remove removes and returns the credentials of the grant with this id or label, or all of the provider if the name is
// empty. It removes a file without grants, and a malformed file if the name is empty. An unknown grant is an error of
// class Configuration.
func (c *Cache) Remove(providerURL, name string) (removed []*Entry, err error) {
	err = c.locked(func() error {
		held, err := c.read(providerURL)
		switch {
		case name == "" && errors.Is(err, errMalformed):
			return c.removeFile(held.path)
		case err != nil:
			return err
		}
		var kept []*Entry
		for _, entry := range held.grants {
			if name == "" || entry.Credential.HasName(name) {
				removed = append(removed, entry)
			} else {
				kept = append(kept, entry)
			}
		}
		switch {
		case len(removed) == 0:
			return c.unknownGrant(name, held.grants)
		case len(kept) == 0:
			return c.removeFile(held.path)
		}
		return c.storeGrants(held, kept)
	})
	return removed, err
}
