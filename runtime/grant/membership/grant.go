package membership

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// retryAfter is the time until a failed grant is tried again. An unreachable provider must not slow down every call.
const retryAfter = 5 * time.Second

var (
	_ rs.Reader = (*grant)(nil)
	_ rs.Opener = (*grant)(nil)
)

// grant is a reader with one credential. It admits its bearer before the first read, and is safe for concurrent use.
type grant struct {
	provider   *provider
	membership *Membership
	admission  *admission.Admission
	approved   []granted.Stream // by the owner, as far as it is known

	mu       sync.Mutex
	entry    *credential.Entry
	covered  coverage // from its schema, otherwise from the owner's approval; nil if unknown
	ended    error    // why the grant has ended; nil if it has not
	failure  error    // of the last admission
	failedAt time.Time
	notedAt  time.Time // of the last use in the cache
	client   client    // of the last read

	signing     *signIn   // running or successful; may be nil
	isOffered   bool      // a sign-in was offered
	pausedUntil time.Time // no sign-in is offered until then
}

func (g *grant) stored() *credential.Entry {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entry
}

// withToken reads with the grant's token. It renews the token before it expires, and once after a refusal (R-LOCAL-5).
func withToken[T any](ctx context.Context, g *grant, read func(*rs.Client) (T, error)) (answer T, err error) {
	renewal := g.membership.renewal
	entry, err := renewal.Current(ctx, g.stored())
	if err != nil {
		return answer, g.failed(err)
	}
	if answer, err = readOnce(g, entry, read); err == nil {
		return answer, nil
	}
	if entry, err = renewal.AfterRefusal(ctx, entry, err); err == nil {
		answer, err = readOnce(g, entry, read)
	}
	return answer, g.failed(err)
}

// readOnce reads with the token of a credential, and stores a renewed credential.
func readOnce[T any](g *grant, entry *credential.Entry, read func(*rs.Client) (T, error)) (answer T, err error) {
	client, err := g.clientOf(entry)
	if err != nil {
		return answer, err
	}
	return read(client)
}

// client is the client of a token, which redacts secrets.
type client struct {
	*rs.Client
	entry   *credential.Entry
	secrets *rs.Secrets
}

// clientOf returns the client of the last read, unless the token or the secrets have changed.
func (g *grant) clientOf(entry *credential.Entry) (*rs.Client, error) {
	options, secrets := g.membership.options, g.membership.secrets.Load()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !isSameToken(entry, g.entry) {
		g.entry = entry
	}
	if g.client.Client != nil && isSameToken(entry, g.client.entry) && g.client.secrets == secrets {
		return g.client.Client, nil
	}
	made, err := rs.NewClient(rs.Options{
		BaseURL: g.provider.url, Bearer: entry.Credential.AccessToken, Secrets: secrets,
		Transport: options.Transport, Retries: g.provider.retries, Timeout: options.Timeout,
	})
	g.client = client{made, entry, secrets}
	return made, err
}

func isSameToken(a, b *credential.Entry) bool {
	return a.Credential.AccessToken.Reveal() == b.Credential.AccessToken.Reveal()
}

// read reads without admission.
func (g *grant) read(ctx context.Context, request rs.Request) (*rs.Response, error) {
	return withToken(ctx, g, func(client *rs.Client) (*rs.Response, error) { return client.Get(ctx, request) })
}

// failed returns the error of a read. It converts an error of a token renewal, and records the end of the grant.
func (g *grant) failed(err error) error {
	var ended error
	failure, isRenewal := errors.AsType[*credential.Error](err)
	refused, isRefused := errors.AsType[*rs.Error](err)
	switch {
	case isRenewal && failure.Class == credential.Unreachable:
		return &rs.Failure{Reason: rs.Unreachable, Message: failure.Message, NextStep: failure.NextStep, URL: g.provider.url, Cause: err}
	case isRenewal && errors.Is(err, credential.ErrSpent):
		ended = &fanout.EndedError{Reason: "grant_expired", Message: failure.Message}
		err = &tool.Error{Code: tool.SourceUnavailable, Message: err.Error(), Cause: errors.Join(ended, err)}
	case isRenewal:
		return unusable(err)
	case isRefused && refused.EndsGrant():
		ended = err
	default:
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = ended
	entry, now := g.entry, g.membership.options.Now()
	g.membership.noting.Go(func() { _ = g.membership.options.Cache.NoteEnd(entry, now) })
	return err
}

// ProviderURL returns the provider's public origin, without a trailing slash.
func (g *grant) ProviderURL() string { return g.provider.url }

// Get reads after the bearer is admitted.
func (g *grant) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if err := g.admitted(ctx); err != nil {
		return nil, err
	}
	response, err := g.admission.Get(ctx, request)
	if err == nil {
		response.GrantIDs = []string{g.stored().Credential.GrantID}
		g.noteUse()
	}
	return response, g.withSignIn(g.stored(), err)
}

// Open starts to read bytes after the bearer is admitted.
func (g *grant) Open(ctx context.Context, request rs.Request, from rs.Resume) (*rs.Download, error) {
	if err := g.admitted(ctx); err != nil {
		return nil, err
	}
	download, err := withToken(ctx, g, func(client *rs.Client) (*rs.Download, error) { return client.Open(ctx, request, from) })
	return download, g.withSignIn(g.stored(), err)
}

// noteUse writes the use of the grant to the cache, concurrently with the call. It ignores errors.
func (g *grant) noteUse() {
	now := g.membership.options.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	entry := g.entry
	if entry.Credential.EndedAt.IsZero() && now.Sub(entry.Credential.LastUsedAt) < credential.UseStep || now.Sub(g.notedAt) < credential.UseStep {
		return
	}
	g.notedAt = now
	g.membership.noting.Go(func() { _ = g.membership.options.Cache.NoteUse(entry, now) })
}

// admitted waits until the bearer is admitted. It returns nil only for the bearer of a client (R-STDIO-3). It records
// failures.
func (g *grant) admitted(ctx context.Context) error {
	err := g.admission.Wait(ctx)
	if refusal, isRefused := errors.AsType[*admission.Refusal](err); isRefused {
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
	return g.withSignIn(g.entry, err)
}

func (g *grant) learn(schema *rs.Response) {
	covered := coveredBy(schema)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.covered = covered
}

// missing returns why the grant cannot be used now, or nil. The caller holds the lock.
func (g *grant) missing() error {
	stored, now := g.entry.Credential, g.membership.options.Now()
	switch {
	case g.ended != nil:
		return g.ended
	case !stored.Usable(now):
		return &fanout.EndedError{
			Reason: "grant_expired", Message: fmt.Sprintf("its credential expired at %s", stored.ExpiresAt.UTC().Format(time.RFC3339)),
		}
	case g.covered == nil && now.Sub(g.failedAt) < retryAfter:
		return g.failure
	}
	return nil
}

// needsSchema reports whether the grant can be used and only its schema shows its coverage.
func (g *grant) needsSchema() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.covered == nil && g.missing() == nil
}

// sources returns the connections of the grant, unusable ones with their reason.
func (g *grant) sources() []fanout.Source {
	g.mu.Lock()
	defer g.mu.Unlock()
	sources := slices.Clone(g.covered)
	if sources == nil {
		sources = coverage{{}}
	}
	stored, missing, reconnect := g.entry.Credential, g.withSignIn(g.entry, g.missing()), g.membership.connectAgain(g.entry)
	for i := range sources {
		source := &sources[i]
		source.GrantID, source.Shared, source.Reader = cmp.Or(stored.GrantID, "a grant of "+g.provider.url), len(sources) > 1, g
		source.Missing, source.Reconnect, source.Limits = missing, reconnect, limitsOf(g.approved, source.ConnectionID)
		source.DisplayName = cmp.Or(source.DisplayName, stored.Label)
	}
	return sources
}
