package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// renewBefore is how long before its end an access token is renewed: longer than a call may take.
const renewBefore = 30 * time.Second

// Renewal renews the grants of a cache by their own refresh tokens, and by nothing else (R-LOCAL-5). One process shares one; it
// is safe for concurrent use, also beside other processes.
type Renewal struct {
	Cache     *credential.Cache
	Transport http.RoundTripper // nil: one of its own, made by rs.NewTransport
	Now       func() time.Time  // nil: time.Now

	mu sync.Mutex // one exchange at a time; the others then find what it stored
}

// Current gives a credential to read with: the one given, or what is stored in its place once that is about to end. When it
// cannot be renewed, it is given as long as it lasts; then the error is that of class Configuration that names the sign-in, or
// one of class Unreachable.
func (r *Renewal) Current(ctx context.Context, held *credential.Entry) (*credential.Entry, error) {
	ends := held.Credential.ExpiresAt
	if ends.IsZero() || held.Credential.RefreshToken.IsZero() || r.now().Before(ends.Add(-renewBefore)) {
		return held, nil
	}
	renewed, err := r.renew(ctx, held, false)
	if err != nil && !held.Credential.Expired(r.now()) && ctx.Err() == nil {
		return held, nil
	}
	return renewed, err
}

// After gives a credential to read with once more after a read was refused, or the refusal itself when a new token would change
// nothing. It is called once for a read: a second refusal is final.
func (r *Renewal) After(ctx context.Context, held *credential.Entry, refusal error) (*credential.Entry, error) {
	if held.Credential.RefreshToken.IsZero() || !isTokenRefused(refusal) {
		return nil, refusal
	}
	renewed, err := r.renew(ctx, held, true)
	if err == nil && renewed.Credential.AccessToken.Reveal() == held.Credential.AccessToken.Reveal() {
		return nil, refusal
	}
	return renewed, err
}

// isTokenRefused reports whether a refusal is about the access token: 401, or 403 grant_expired, which resource servers say of an
// access token that has ended while its grant goes on (captures 873 to 873h). After a new token, the first still means that the
// token is not known, and the second that the grant itself has ended.
func isTokenRefused(err error) bool {
	var refused *rs.Error
	return errors.As(err, &refused) &&
		(refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden && refused.Code == "grant_expired")
}

// Settle waits for an exchange that is under way. A process that ended before would lose its answer, and the grant with it.
func (r *Renewal) Settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
}

func (r *Renewal) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}

// renew gives what is stored after an exchange of this process or of another.
func (r *Renewal) renew(ctx context.Context, held *credential.Entry, ended bool) (*credential.Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stored := r.stored(held); stored != nil {
		return stored, nil
	}
	asker, err := newAsker(held.ProviderURL, r.Transport)
	if err != nil {
		return nil, err
	}
	server, err := asker.authorizationServer(ctx, held.AuthorizationServer)
	if err != nil {
		return nil, err
	}
	if server.Token == "" {
		return nil, unfit(server.Issuer, "names no token_endpoint in its metadata", nil)
	}
	signing := &signIn{Options: Options{CacheRoot: r.Cache.NamedRoot()}, asker: asker, server: server}
	// An exchange that has begun is not cut off: its answer would be lost, and with it the grant.
	unbroken := context.WithoutCancel(ctx)
	return r.Cache.Renew(held, ended, r.now(), func(stored *credential.Entry) error { return signing.refresh(unbroken, stored) })
}

// stored is what another process has put in the place of a credential; nil when it is still that one.
func (r *Renewal) stored(held *credential.Entry) *credential.Entry {
	grants, err := r.Cache.Grants(held.ProviderURL)
	if err != nil {
		return nil // Renew says why
	}
	i := slices.IndexFunc(grants, func(e *credential.Entry) bool { return e.Credential.GrantID == held.Credential.GrantID })
	if i < 0 || grants[i].Credential.AccessToken.Reveal() == held.Credential.AccessToken.Reveal() {
		return nil
	}
	return grants[i]
}

// refresh exchanges the refresh token of a credential (RFC 6749, section 6; captures 870 and 871) and sets what was issued. Its
// error says what became of the refresh token, where that is known.
func (s *signIn) refresh(ctx context.Context, held *credential.Entry) error {
	token := held.Credential.RefreshToken.Reveal()
	var wasSent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wasSent.Store(true) }})
	answer, err := s.asker.postForm(ctx, s.server.Token, url.Values{
		"grant_type": {"refresh_token"}, "client_id": {held.Client.ClientID}, "refresh_token": {token},
	})
	var failed failedStatus
	switch {
	case err != nil && (!wasSent.Load() || errors.As(err, &failed) && failed == http.StatusServiceUnavailable):
		return fmt.Errorf("%w: %w", credential.ErrUnspent, err)
	case err != nil:
		return err
	case !answer.isSuccess():
		refused := answer.refused(token)
		if refused.code == codeInvalidGrant {
			return fmt.Errorf("%w: %w", credential.ErrSpent, refused)
		}
		return fmt.Errorf("%w: %w", credential.ErrUnspent, s.failed(refused))
	}
	return s.take(answer, held)
}

// take sets on a credential what the answer to its refresh token issued. An answer without another refresh token leaves the old
// one.
func (s *signIn) take(answer *answer, held *credential.Entry) error {
	given := granted{answer: answer}
	if err := answer.decode(&given); err != nil {
		return err
	}
	issued, err := given.issued(held.Client)
	if err != nil {
		return err
	}
	renewed := issued.Credential
	switch {
	case issued.kind != "" && issued.kind != rs.KindClient:
		return s.refusedKind(issued.kind)
	case renewed.GrantID != "" && renewed.GrantID != held.Credential.GrantID:
		return unfit(answer.from, "answered with a token of another grant", nil)
	}
	held.Credential.AccessToken, held.Credential.ExpiresAt = renewed.AccessToken, renewed.ExpiresAt
	if !renewed.RefreshToken.IsZero() {
		held.Credential.RefreshToken = renewed.RefreshToken
	}
	return nil
}
