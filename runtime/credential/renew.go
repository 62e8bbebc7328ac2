package credential

import (
	"errors"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// What an exchange of a refresh token says of that token, as its error wraps it. An error that wraps neither leaves it open
// whether the authorization server took the token.
var (
	ErrUnspent = errors.New("the refresh token was not taken") // it can be sent again
	ErrSpent   = errors.New("the refresh token has ended")     // it never can
)

// Renew replaces the tokens of a grant by what exchange sets on the entry that it gets: the one that is stored, under the lock
// of all processes (R-LOCAL-5). It gives what is stored then, without an exchange when another process has renewed the grant
// since it was seen. An exchange that was begun is noted on disk before it is run, since a refresh token that is sent twice ends
// the whole grant (RFC 9700, section 4.14.2; capture 872): after a crash, or without an answer, the refresh token is not sent
// again while the access token can still be used. Ended says that it cannot, whatever its time. The disk has room for what the
// exchange sets before it is run; what cannot be written all the same is logged, and this Cache gives it from then on, and writes it
// with its next change of the file. Errors are those of the file and of the exchange, and a *Error of class Configuration when
// the grant has to be signed in again.
func (c *Cache) Renew(seen *Entry, ended bool, now time.Time, exchange func(*Entry) error) (renewed *Entry, err error) {
	return c.edit(seen.ProviderURL, seen.Credential.GrantID, func(held *Entry, write func() error) error {
		if held.Credential.AccessToken.Reveal() != seen.Credential.AccessToken.Reveal() {
			return nil
		}
		return c.exchangeStored(held, write, ended || held.Credential.Expired(now), exchange)
	})
}

// exchangeStored runs an exchange between two writes of the file.
func (c *Cache) exchangeStored(held *Entry, write func() error, ended bool, exchange func(*Entry) error) error {
	switch {
	case held.Credential.RefreshToken.IsZero():
		return c.endedGrant(held, nil)
	case !held.Credential.RenewalBegan.IsZero() && !ended:
		return nil // it goes on with the access token that it has
	}
	replaced := held.Credential.AccessToken.Reveal()
	held.Credential.RenewalBegan = time.Now().UTC().Truncate(time.Second)
	err := c.withRoom(func() error {
		if err := write(); err != nil {
			return err
		}
		return exchange(held)
	})
	switch {
	case err == nil:
		held.Credential.RenewalBegan = time.Time{}
		if err := write(); err != nil {
			c.keepUnsaved(replaced, held, err)
		}
		return nil
	case errors.Is(err, ErrUnspent):
		held.Credential.RenewalBegan = time.Time{}
		return errors.Join(err, write())
	case errors.Is(err, ErrSpent):
		held.Credential.RenewalBegan, held.Credential.RefreshToken = time.Time{}, rs.Secret{}
		return errors.Join(c.endedGrant(held, err), write())
	}
	return err
}

// keepUnsaved keeps a renewed credential that could not be written: its refresh token is the only one that is good still.
func (c *Cache) keepUnsaved(replaced string, renewed *Entry, err error) {
	c.unsaved.Store(replaced, renewed.Credential)
	if c.Logger != nil {
		c.Logger.Error("a renewed credential is not stored: it is used while this process runs, and lost after that",
			"error", err, "then_run", c.connectCommand(renewed.ProviderURL))
	}
}

// endedGrant is the error of a grant that cannot be renewed.
func (c *Cache) endedGrant(held *Entry, err error) *Error {
	name := held.Credential.GrantID
	if held.Credential.Label != "" {
		name += " (" + held.Credential.Label + ")"
	}
	problem := "was not renewed: "
	if err == nil {
		problem, err = "has no refresh token any more: ", ErrSpent
	}
	problem += err.Error()
	return c.unusable(held.ProviderURL, fmt.Sprintf("grant %s of %s %s", name, held.ProviderURL, problem), err)
}
