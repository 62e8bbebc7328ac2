package membership

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// retryAfter is how long a failed grant is missing before it is asked again. An unreachable provider must not slow down every call.
const retryAfter = 5 * time.Second

var (
	_ rs.Reader = (*grant)(nil)
	_ rs.Opener = (*grant)(nil)
)

// grant is a reader with one credential. It admits its bearer before the first read, and is safe for concurrent use.
type grant struct {
	provider   *provider
	membership *Membership
	admission  *host.Admission

	mu       sync.Mutex
	entry    *credential.Entry
	client   *rs.Client  // of the entry's token
	secrets  *rs.Secrets // of all grants
	covered  coverage    // from its schema; nil if unknown
	failure  error       // of the last attempt
	failedAt time.Time
	ended    error     // why the grant has ended; nil if it has not
	notedAt  time.Time // of the last use in the cache

	signing     *signIn   // running or successful; may be nil
	isOffered   bool      // a sign-in was offered
	pausedUntil time.Time // no sign-in is offered until then
}

func (g *grant) stored() *credential.Entry {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entry
}

// makeClient makes the client. The caller holds the lock.
func (g *grant) makeClient() {
	options := g.membership.options
	client, err := rs.NewClient(rs.Options{
		BaseURL: g.provider.url, Bearer: g.entry.Credential.AccessToken, Secrets: g.secrets,
		Transport: options.Transport, Retries: g.provider.retries, Timeout: options.Timeout,
	})
	if err == nil { // it cannot fail: the cache has checked the URL and the bearer
		g.client = client
	}
}

// clientFor returns a client with the token of a credential, and stores a new credential.
func (g *grant) clientFor(entry *credential.Entry) *rs.Client {
	g.mu.Lock()
	defer g.mu.Unlock()
	if entry.Credential.AccessToken.Reveal() != g.entry.Credential.AccessToken.Reveal() {
		g.entry = entry
		g.makeClient()
	}
	return g.client
}

// withToken reads with the grant's token. It renews the token before it expires, and once after a refusal (R-LOCAL-5).
func (g *grant) withToken(ctx context.Context, read func(*rs.Client) error) error {
	renewal := g.membership.renewal
	entry, err := renewal.Current(ctx, g.stored())
	if err != nil {
		return g.notRenewed(err)
	}
	if err = read(g.clientFor(entry)); err == nil {
		return nil
	}
	if entry, err = renewal.AfterRefusal(ctx, entry, err); err != nil {
		return g.notRenewed(err)
	}
	return read(g.clientFor(entry))
}

// read reads without admission.
func (g *grant) read(ctx context.Context, request rs.Request) (response *rs.Response, err error) {
	err = g.withToken(ctx, func(client *rs.Client) error {
		response, err = client.Get(ctx, request)
		return err
	})
	return response, err
}

// notRenewed converts the error of a token renewal to the error of the read. Other errors are unchanged.
func (g *grant) notRenewed(err error) error {
	failure, ok := errors.AsType[*credential.Error](err)
	switch {
	case !ok:
		return err
	case failure.Class == credential.Unreachable:
		return &rs.Failure{Reason: rs.Unreachable, Message: failure.Message, NextStep: failure.NextStep, URL: g.provider.url, Cause: err}
	case !errors.Is(err, credential.ErrSpent):
		return unusable(err)
	}
	ended := &fanout.EndedError{Reason: "grant_expired", Message: failure.Message}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = ended
	return &tool.Error{Code: tool.SourceUnavailable, Message: err.Error(), Cause: errors.Join(ended, err)}
}

// ProviderURL is the provider's public origin, without a trailing slash.
func (g *grant) ProviderURL() string { return g.provider.url }

// Get reads after the bearer is admitted.
func (g *grant) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if err := g.admitted(ctx); err != nil {
		return nil, err
	}
	response, err := g.read(ctx, request)
	switch {
	case err == nil:
		response.GrantIDs = []string{g.stored().Credential.GrantID}
		g.noteUse()
	case hasEnded(err):
		g.mu.Lock()
		g.ended = err
		g.mu.Unlock()
	}
	return response, g.withSignIn(err)
}

// Open starts to read bytes after the bearer is admitted.
func (g *grant) Open(ctx context.Context, request rs.Request, from rs.Resume) (download *rs.Download, err error) {
	if err := g.admitted(ctx); err != nil {
		return nil, err
	}
	err = g.withToken(ctx, func(client *rs.Client) error {
		download, err = client.Open(ctx, request, from)
		return err
	})
	return download, g.withSignIn(err)
}

// noteUse writes the use of the grant to the cache, concurrently with the call. It ignores errors.
func (g *grant) noteUse() {
	now := g.membership.options.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	entry := g.entry
	if now.Sub(entry.Credential.LastUsedAt) < credential.UseStep || now.Sub(g.notedAt) < credential.UseStep {
		return
	}
	g.notedAt = now
	g.membership.noting.Go(func() { _ = g.membership.options.Cache.NoteUse(entry, now) })
}

// hasEnded reports whether an error means that the grant has ended.
func hasEnded(err error) bool {
	refused, ok := errors.AsType[*rs.Error](err)
	return ok && refused.EndsGrant()
}

// admitted waits until the bearer is admitted. It returns nil only for the bearer of a client (R-STDIO-3). It records failures and the end
// of the grant.
func (g *grant) admitted(ctx context.Context) error {
	err := g.admission.Wait(ctx)
	if refusal, isRefused := errors.AsType[*host.Refusal](err); isRefused {
		g.membership.refuse(refusal)
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && !errors.Is(err, context.Canceled) {
		g.failure, g.failedAt = err, g.membership.options.Now()
		if errors.Is(err, context.DeadlineExceeded) {
			g.failure = &rs.Failure{Reason: rs.Timeout, Message: "the provider did not send the schema of the grant in time", Cause: err}
		}
	}
	if hasEnded(err) {
		g.ended = err
	}
	return g.withSignIn(err)
}

// learn sets the coverage from the grant's schema.
func (g *grant) learn(schema *rs.Response) {
	covered := coveredBy(schema)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.covered = covered
}

// isUnknown reports whether the grant's schema must be fetched to know its coverage.
func (g *grant) isUnknown() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.membership.options.Now()
	return g.ended == nil && g.entry.Credential.Usable(now) && g.covers() == nil && (g.failure == nil || now.Sub(g.failedAt) >= retryAfter)
}

// covers returns the coverage from the schema, otherwise from the owner's approval, otherwise nil. The caller holds the lock.
func (g *grant) covers() coverage {
	if g.covered != nil {
		return g.covered
	}
	return approvedOf(g.entry.Credential)
}

// sources returns the connections of the grant, unusable ones with their reason.
func (g *grant) sources() []fanout.Source {
	g.mu.Lock()
	defer g.mu.Unlock()
	stored, covers := g.entry.Credential, g.covers()
	missing, reconnect := g.missing(covers != nil), g.membership.connectAgain(g.provider, g.entry)
	if covers == nil {
		covers = coverage{{}}
	}
	grantID := cmp.Or(stored.GrantID, "a grant of "+g.provider.url)
	sources := slices.Clone(covers)
	for i := range sources {
		source := &sources[i]
		source.GrantID, source.Shared, source.Reader = grantID, len(sources) > 1, g
		source.Missing, source.Reconnect = g.withSignIn(missing), reconnect
		source.DisplayName = cmp.Or(source.DisplayName, stored.Label)
	}
	return sources
}

// missing returns why the grant cannot be used, or nil. The caller holds the lock.
func (g *grant) missing(isKnown bool) error {
	stored := g.entry.Credential
	switch {
	case g.ended != nil:
		return g.ended
	case !stored.Usable(g.membership.options.Now()):
		return &fanout.EndedError{
			Reason: "grant_expired", Message: fmt.Sprintf("its credential expired at %s", stored.ExpiresAt.UTC().Format(time.RFC3339)),
		}
	case !isKnown:
		return g.failure
	}
	return nil
}
