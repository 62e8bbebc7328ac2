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

// failureKept is how long a grant that could not be asked stays missing before it is asked again, so that an unreachable
// provider does not slow down every call.
const failureKept = 5 * time.Second

var (
	_ rs.Reader = (*grant)(nil)
	_ rs.Opener = (*grant)(nil)
)

// grant is one credential and what is known of it. It is a reader that admits its bearer before the first read, and safe
// for concurrent use.
type grant struct {
	provider   *provider
	membership *Membership
	admission  *host.Admission

	mu       sync.Mutex
	entry    *credential.Entry
	client   *rs.Client  // of the entry's token
	secrets  *rs.Secrets // of all grants
	covered  coverage    // by its own schema; nil: not known
	failure  error       // why it could not be asked last
	failedAt time.Time
	ended    error     // the resource server said that the grant has ended, which is for good
	notedAt  time.Time // when the cache was told last that it was used; zero: not yet
}

func (g *grant) stored() *credential.Entry {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entry
}

// note takes what the file says of the grant now.
func (g *grant) note(entry *credential.Entry) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.entry = entry
}

func (g *grant) knownCoverage() coverage {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.covered
}

// equip makes the client that reads with the bearer.
func (g *grant) equip(secrets *rs.Secrets) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.secrets = secrets
	g.makeClient()
}

// makeClient is called with the lock.
func (g *grant) makeClient() {
	options := g.membership.options
	client, err := rs.NewClient(rs.Options{
		BaseURL: g.provider.url, Bearer: g.entry.Credential.AccessToken, Secrets: g.secrets,
		Transport: options.Transport, Retries: g.provider.retries, Timeout: options.Timeout,
	})
	if err == nil { // the cache has judged the URL and the bearer
		g.client = client
	}
}

// readerOf reads with the token of a credential, which is kept when it is a new one.
func (g *grant) readerOf(entry *credential.Entry) *rs.Client {
	g.mu.Lock()
	defer g.mu.Unlock()
	if entry.Credential.AccessToken.Reveal() != g.entry.Credential.AccessToken.Reveal() {
		g.entry = entry
		g.makeClient()
	}
	return g.client
}

// withToken reads with the grant's token, which is renewed before it ends, and once after it was refused (R-LOCAL-5).
func (g *grant) withToken(ctx context.Context, read func(*rs.Client) error) error {
	renewal := g.membership.renewal
	entry, err := renewal.Current(ctx, g.stored())
	if err != nil {
		return g.notRenewed(err)
	}
	if err = read(g.readerOf(entry)); err == nil {
		return nil
	}
	if entry, err = renewal.After(ctx, entry, err); err != nil {
		return g.notRenewed(err)
	}
	return read(g.readerOf(entry))
}

// read reads with the bearer, admitted or not.
func (g *grant) read(ctx context.Context, request rs.Request) (response *rs.Response, err error) {
	err = g.withToken(ctx, func(client *rs.Client) error {
		response, err = client.Get(ctx, request)
		return err
	})
	return response, err
}

// notRenewed is the error of a read for which there is no token, and any other error as it is.
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

// Get reads when the bearer is admitted.
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
	return response, err
}

// Open begins to read bytes when the bearer is admitted.
func (g *grant) Open(ctx context.Context, request rs.Request, from rs.Resume) (download *rs.Download, err error) {
	if err := g.admitted(ctx); err != nil {
		return nil, err
	}
	err = g.withToken(ctx, func(client *rs.Client) error {
		download, err = client.Open(ctx, request, from)
		return err
	})
	return download, err
}

// noteUse lets the cache know that the grant was used, beside the call. A cache that cannot be written stays without it.
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

// hasEnded reports whether an error says that the grant has ended, whatever is read with it.
func hasEnded(err error) bool {
	refused, ok := errors.AsType[*rs.Error](err)
	return ok && refused.EndsGrant()
}

// admitted gives nil for a client's bearer (R-STDIO-3), else why nothing may be read with it.
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
			g.failure = &rs.Failure{Reason: rs.Timeout, Message: "the source did not say in time what it covers", Cause: err}
		}
	}
	if hasEnded(err) {
		g.ended = err
	}
	return err
}

// learn notes what the grant's own schema says that it covers.
func (g *grant) learn(schema *rs.Response) {
	covered := coveredBy(schema)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.covered = covered
}

// isUnknown reports whether the grant has to be asked what it covers: neither its schema nor the owner's approval told, and it
// did not fail just now.
func (g *grant) isUnknown() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.membership.options.Now()
	return g.ended == nil && g.entry.Credential.Usable(now) && g.covers() == nil && (g.failure == nil || now.Sub(g.failedAt) >= failureKept)
}

// covers is what is known of the grant's connections, with the lock: by its own schema, else by the owner's approval. It is nil
// when neither told.
func (g *grant) covers() coverage {
	if g.covered != nil {
		return g.covered
	}
	return approvedOf(g.entry.Credential)
}

// sources are the connections that the grant covers. One that cannot be used is among them, with the reason.
func (g *grant) sources() []fanout.Source {
	g.mu.Lock()
	defer g.mu.Unlock()
	stored, covers := g.entry.Credential, g.covers()
	missing, reconnect := g.missing(covers != nil), g.membership.again(g.provider, g.entry)
	if covers == nil {
		covers = coverage{{}}
	}
	grantID := cmp.Or(stored.GrantID, "a grant of "+g.provider.url) // which does not say its id
	sources := slices.Clone(covers)
	for i := range sources {
		source := &sources[i]
		source.GrantID, source.Shared, source.Reader = grantID, len(sources) > 1, g
		source.Active, source.Missing, source.Reconnect = missing == nil, missing, reconnect
		source.DisplayName = cmp.Or(source.DisplayName, stored.Label)
	}
	return sources
}

// missing is why the grant cannot be used, with the lock; nil when it can, as far as is known.
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
