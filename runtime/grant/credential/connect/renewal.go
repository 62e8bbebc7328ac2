package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// renewBefore is the remaining lifetime at which an access token is renewed. A call takes less.
const renewBefore = 30 * time.Second

// Renewal renews the grants of a cache with their refresh tokens (R-LOCAL-5). A process shares one. It is safe for
// concurrent use by goroutines and processes.
type Renewal struct {
	Cache     *credential.Cache
	Transport http.RoundTripper // nil: rs.NewTransport
	Now       func() time.Time  // nil: time.Now

	mu sync.Mutex // one exchange at a time; others then find its result
}

// Current returns the credential, renewed if it is about to expire. If it cannot be renewed, it is returned until it
// expires; then the error is of class Configuration and names the sign-in, or of class Unreachable.
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

// AfterRefusal returns a renewed credential after a refused read, or the refusal if a new token would not help. It is
// called once per read.
func (r *Renewal) AfterRefusal(ctx context.Context, held *credential.Entry, refusal error) (*credential.Entry, error) {
	if held.Credential.RefreshToken.IsZero() || !isTokenRefusal(refusal) {
		return nil, refusal
	}
	renewed, err := r.renew(ctx, held, true)
	if err == nil && renewed.Credential.AccessToken.Reveal() == held.Credential.AccessToken.Reveal() {
		return nil, refusal
	}
	return renewed, err
}

// isTokenRefusal reports whether a refusal is about the access token: 401, or 403 grant_expired, which resource servers
// also send for an expired access token of a valid grant (captures 873 to 873h).
func isTokenRefusal(err error) bool {
	var refused *rs.Error
	return errors.As(err, &refused) &&
		(refused.Status == http.StatusUnauthorized || refused.Status == http.StatusForbidden && refused.Code == "grant_expired")
}

// Settle waits for a running exchange. A process that ends before would lose the grant.
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

// renew returns the stored credential after an exchange by this process or another.
func (r *Renewal) renew(ctx context.Context, held *credential.Entry, ended bool) (*credential.Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Another process may have renewed it. Reading needs no lock, which a slow exchange with another provider may hold.
	grants, err := r.Cache.Grants(held.ProviderURL)
	if err != nil {
		return nil, err
	}
	for _, stored := range grants {
		isSame := stored.Credential.GrantID == held.Credential.GrantID
		if isSame && stored.Credential.AccessToken.Reveal() != held.Credential.AccessToken.Reveal() {
			return stored, nil
		}
	}
	requester, err := newRequester(held.ProviderURL, r.Transport)
	if err != nil {
		return nil, err
	}
	server, err := requester.authorizationServer(ctx, held.AuthorizationServer)
	if err != nil {
		return nil, err
	}
	if server.Token == "" {
		return nil, protocolError(server.Issuer, "names no token_endpoint in its metadata", nil)
	}
	signing := &signIn{Options: Options{CacheRoot: r.Cache.NamedRoot()}, requester: requester, server: server}
	// A started exchange is not cancelled: the grant would be lost.
	uncancelled := context.WithoutCancel(ctx)
	return r.Cache.Renew(held, ended, r.now(), func(stored *credential.Entry) error { return signing.refresh(uncancelled, stored) })
}

// refresh exchanges the refresh token of a credential (RFC 6749, section 6; captures 870 and 871) and sets the new
// tokens. Its error says what became of the refresh token, if that is known.
func (s *signIn) refresh(ctx context.Context, held *credential.Entry) error {
	token := held.Credential.RefreshToken.Reveal()
	var wasSent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wasSent.Store(true) }})
	answer, err := s.requester.postForm(ctx, s.server.Token, url.Values{
		"grant_type": {"refresh_token"}, "client_id": {held.Client.ClientID}, "refresh_token": {token},
	})
	switch {
	case err != nil && (!wasSent.Load() || errors.Is(err, failedStatus(http.StatusServiceUnavailable))):
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
	return s.applyTokens(answer, held)
}

// applyTokens sets the tokens of a response. Without a new refresh token the old one stays.
func (s *signIn) applyTokens(answer *answer, held *credential.Entry) error {
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
		return s.kindError(issued.kind)
	case renewed.GrantID != "" && renewed.GrantID != held.Credential.GrantID:
		return protocolError(answer.url, "answered with a token of another grant", nil)
	}
	held.Credential.AccessToken, held.Credential.ExpiresAt = renewed.AccessToken, renewed.ExpiresAt
	if !renewed.RefreshToken.IsZero() {
		held.Credential.RefreshToken = renewed.RefreshToken
	}
	return nil
}
