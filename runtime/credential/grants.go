package credential

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// otherGrants is the member of a cache file that holds the grants besides the one in credential: an array
// of objects with the members of the file itself, without provider_url. Tools that do not know it read the
// grant that was connected last. One that replaces credential and keeps what it does not know keeps them.
const otherGrants = "other_grants"

// contents are what a file of the cache holds.
type contents struct {
	members rawjson.Object
	grants  []*Entry // the first is that in credential
}

// parseFile takes a file apart. Its members come with an error too, when it is an object.
func parseFile(data []byte) (held contents, err error) {
	if held.members, err = parseObject(data); err != nil {
		return held, err
	}
	first, err := parseEntry(held.members)
	if err != nil {
		return held, err
	}
	value := held.members.Get(otherGrants)
	others, isArray := rawjson.Elements(value)
	if value != nil && !isArray {
		return held, &rawjson.MemberError{Member: otherGrants, Want: "an array of objects"}
	}
	grants := []*Entry{first}
	for i, each := range others {
		members, _ := rawjson.ParseObject(each) // what is none has no credential
		other, err := parseEntry(members)
		if err != nil {
			return held, fmt.Errorf("%s[%d]: %w", otherGrants, i, err)
		}
		other.ProviderURL = first.ProviderURL
		grants = append(grants, other)
	}
	held.grants = grants
	return held, nil
}

// tokenBound are members of a credential that make no sense beside another access token.
var tokenBound = append([]string{"id_token", "expires_in"}, rs.KindMembers...)

// Grants gives every credential of a provider that is stored, at least one. The first is the one that is
// used without a grant id. A file that others can read is narrowed to 0600 with a warning, a directory that others can
// write loses those rights with one, and either is refused when that fails (R-STDIO-2). Only the user's own are narrowed,
// and a file only when it is a credential; links to files are not followed. Errors of the file are of class Configuration.
func (c *Cache) Grants(providerURL string) ([]*Entry, error) {
	at, err := c.place(providerURL)
	if err != nil {
		return nil, err
	}
	held, err := c.read(at)
	return held.grants, err
}

// Add stores a new credential as the one that is used without a grant id. Those of other grants of the
// provider are kept, as are members that an Entry does not name; of the same grant there is one. A malformed
// file is replaced with a warning, and one of another provider is refused. Processes that add at the same
// moment wait for each other, so that each finds what the others have stored.
func (c *Cache) Add(entry *Entry) error {
	at, err := c.place(entry.ProviderURL)
	if err != nil {
		return err
	}
	if err := c.prepare(); err != nil {
		return err
	}
	return c.locked(func() error {
		held, isMalformed, err := c.joined(at)
		if err != nil {
			return err
		}
		if isMalformed {
			c.warn("credential file is malformed; it is replaced", at.path)
		}
		grants := []*Entry{entry}
		for _, old := range held.grants {
			if old.Credential.GrantID == entry.Credential.GrantID {
				entry.inherit(old)
			} else {
				grants = append(grants, old)
			}
		}
		return c.storeGrants(at.path, held.members, grants)
	})
}

// inherit takes what was noted about the same grant, where the new credential says nothing of it.
func (e *Entry) inherit(old *Entry) {
	e.Credential.Label = cmp.Or(e.Credential.Label, old.Credential.Label)
	if e.Credential.Details == nil {
		e.Credential.Details = old.Credential.Details
	}
	if e.Credential.LastUsedAt.IsZero() {
		e.Credential.LastUsedAt = old.Credential.LastUsedAt
	}
	e.Credential.members = hide(slices.DeleteFunc(slices.Clone(old.Credential.members.reveal()), func(m rawjson.Member) bool {
		return slices.Contains(tokenBound, m.Name)
	}))
	if e.Client.ClientID == old.Client.ClientID {
		e.Client.members = old.Client.members
	}
}

// joined is what a new credential joins. There are no grants when there is no file, or when it is malformed.
func (c *Cache) joined(at place) (held contents, isMalformed bool, err error) {
	held, err = c.read(at)
	isMalformed = errors.Is(err, errMalformed)
	if err == nil || isMalformed || errors.Is(err, fs.ErrNotExist) {
		return held, isMalformed, nil
	}
	if failure, ok := errors.AsType[*Error](err); ok && failure.Command == c.connectCommand(at.provider) { // else it says what else to do
		err = &Error{
			Class: failure.Class, Message: failure.Message, Cause: err,
			NextStep: "move the file away, or pass another --cache-root",
		}
	}
	return held, false, err
}

// Change rewrites the credential of one grant in its place and gives it as it is stored then. The change is run under the
// lock that all processes share, on what the file holds at that moment; when it fails, nothing is written and its error is
// given. A grant that is not there is an error of class Configuration.
func (c *Cache) Change(providerURL, grantID string, change func(*Entry) error) (changed *Entry, err error) {
	return c.edit(providerURL, grantID, func(stored *Entry, write func() error) error {
		if err := change(stored); err != nil {
			return err
		}
		return write()
	})
}

// edit gives a function the stored credential of one grant, and what writes the file with it, under the lock that all processes
// share.
func (c *Cache) edit(providerURL, grantID string, with func(stored *Entry, write func() error) error) (stored *Entry, err error) {
	at, err := c.place(providerURL)
	if err != nil {
		return nil, err
	}
	err = c.locked(func() error {
		held, err := c.read(at)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(held.grants, func(e *Entry) bool { return e.Credential.GrantID == grantID })
		if i < 0 {
			return c.UnknownGrant(grantID, held.grants)
		}
		stored = held.grants[i]
		return with(stored, func() error { return c.storeGrants(at.path, held.members, held.grants) })
	})
	return stored, err
}

// UseStep is how exactly the last use of a grant is noted, so that the file is seldom written.
const UseStep = time.Hour

// NoteUse notes that a grant was used, unless that was noted within a UseStep.
func (c *Cache) NoteUse(entry *Entry, now time.Time) error {
	if now.Sub(entry.Credential.LastUsedAt) < UseStep || entry.Credential.GrantID == "" {
		return nil
	}
	_, err := c.Change(entry.ProviderURL, entry.Credential.GrantID, func(stored *Entry) error {
		stored.Credential.LastUsedAt = now.UTC().Truncate(time.Second)
		return nil
	})
	return err
}

// Remove takes the credentials of one grant, named by its id or label, out of the cache, or every one of the provider when the
// name is empty, and gives what it took. The last one takes the file with it, and so does a malformed file, which
// gives nothing. A grant that is not there is an error of class Configuration.
func (c *Cache) Remove(providerURL, name string) (removed []*Entry, err error) {
	at, err := c.place(providerURL)
	if err != nil {
		return nil, err
	}
	err = c.locked(func() error {
		held, err := c.read(at)
		switch {
		case name == "" && errors.Is(err, errMalformed):
			return c.removeFile(at.path)
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
			return c.UnknownGrant(name, held.grants)
		case len(kept) == 0:
			return c.removeFile(at.path)
		}
		c.removeLeftovers()
		return c.storeGrants(at.path, held.members, kept)
	})
	return removed, err
}

func (c *Cache) removeFile(path string) error {
	c.removeLeftovers()
	if err := os.Remove(path); err != nil {
		return c.unwritable(err)
	}
	return nil
}

// storeGrants writes a file, whose first grant is the one in credential, into directories that are there.
func (c *Cache) storeGrants(path string, members rawjson.Object, grants []*Entry) error {
	file := grants[0].object(members).Without(otherGrants)
	var others []json.RawMessage
	for _, entry := range grants[1:] {
		others = append(others, entry.object(nil).Without("provider_url").Encode())
	}
	if others != nil {
		file = file.With(otherGrants, rawjson.Array(others))
	}
	var data bytes.Buffer
	_ = json.Indent(&data, file.Encode(), "", "  ") // which is JSON
	data.WriteByte('\n')
	if data.Len() > largestFile {
		return Misconfigured(
			fmt.Sprintf("credential file %s would be larger than %d bytes", path, largestFile),
			"remove grants that are no longer needed: pdpp-mcp disconnect <provider-url> --grant-id <grant>", nil)
	}
	if err := ownfile.Replace(path, temporaryName, 0o600, data.Bytes()); err != nil {
		return c.unwritable(err)
	}
	return nil
}
