package credential

import (
	"errors"
	"fmt"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Errors of an exchange that say what became of the refresh token. Any other error leaves that open.
var (
	ErrUnspent = errors.New("the refresh token was not used") // it can be sent again
	ErrSpent   = errors.New("the refresh token has ended")    // it must not be sent again
)

// Renew runs exchange on the stored entry and stores the tokens that it sets, under the lock of all processes
// (R-LOCAL-5). It returns the stored entry without an exchange if another process has renewed the grant since seen was
// read.
//
// The start of an exchange is recorded on disk, because a refresh token that is sent twice ends the whole grant (RFC
// 9700, section 4.14.2; capture 872). After a crash or without an answer, the token is not sent again before the access
// token has expired, or hasEnded reports that it was refused. Space for the new file is reserved before. If the file
// cannot be written afterwards, this Cache returns the new tokens and writes them with its next change of the file.
// Errors are those of the file and of the exchange, and a *Error of class Configuration if the user must sign in again.
func (c *Cache) Renew(seen *Entry, hasEnded bool, now time.Time, exchange func(*Entry) error) (renewed *Entry, err error) {
	return c.Change(seen.ProviderURL, seen.Credential.GrantID, func(stored *Entry, write func() error) error {
		held := &stored.Credential
		switch {
		case held.AccessToken.Reveal() != seen.Credential.AccessToken.Reveal():
			return nil
		case held.RefreshToken.IsZero():
			return c.signInAgain(stored, "has no refresh token", ErrSpent)
		case !held.RenewalBegan.IsZero() && !hasEnded && !held.Expired(now):
			return nil // the access token is still valid
		}
		replaced := held.AccessToken.Reveal()
		held.RenewalBegan = time.Now().UTC().Truncate(time.Second)
		err := c.withReservedSpace(func() error {
			if err := write(); err != nil {
				return err
			}
			return exchange(stored)
		})
		switch {
		case err == nil:
			held.RenewalBegan = time.Time{}
			if err := write(); err != nil { // the old refresh token is no longer valid
				c.unsaved.Store(replaced, *held)
				c.logger().Error("a renewed credential is not stored: it is used while this process runs, and lost after that",
					"error", err, "then_run", c.connectCommand(stored.ProviderURL))
			}
			return nil
		case errors.Is(err, ErrUnspent):
			held.RenewalBegan = time.Time{}
			return errors.Join(err, write())
		case errors.Is(err, ErrSpent):
			held.RenewalBegan, held.RefreshToken = time.Time{}, rs.Secret{}
			return errors.Join(c.signInAgain(stored, "was not renewed", err), write())
		}
		return err
	})
}

func (c *Cache) signInAgain(stored *Entry, problem string, cause error) *Error {
	message := fmt.Sprintf("grant %s of %s %s: %v", stored.Credential.Name(), stored.ProviderURL, problem, cause)
	return c.unusableError(stored.ProviderURL, message, cause)
}
