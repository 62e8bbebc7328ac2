package membership

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential/connect"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const (
	// approvalTimeout limits how long a sign-in waits for the user. The provider's page usually expires after the same
	// time.
	approvalTimeout = 5 * time.Minute

	// declinePause is the time after a declined or failed sign-in during which the grant is offered no other.
	declinePause = 10 * time.Minute
)

// signIn is a tool.SignIn that replaces an ended grant with a new one for the same access.
type signIn struct {
	grant  *grant
	held   *credential.Entry // the ended grant
	id     string
	cancel context.CancelFunc

	isOffered atomic.Bool

	announced chan struct{} // closed when page is set
	page      connect.Approval

	ended chan struct{} // closed when err is set
	err   error
}

var _ tool.SignIn = (*signIn)(nil)

// withSignIn returns the error of a read, with a sign-in if the grant has ended according to the resource server or the
// cache. The entry is the grant's.
func (g *grant) withSignIn(entry *credential.Entry, err error) error {
	_, isKnown := errors.AsType[*tool.SignInError](err)
	_, hasEnded := errors.AsType[*fanout.EndedError](err)
	refused, isRefused := errors.AsType[*rs.Error](err)
	if isKnown || !hasEnded && (!isRefused || !refused.NeedsSignIn()) {
		return err
	}
	return &tool.SignInError{Cause: err, Command: g.membership.connectAgain(entry), SignIn: g.signIn}
}

// signIn returns the running or successful sign-in, or starts one. It returns nil within declinePause, and if the
// access of the grant is not known exactly. For isNeeded see tool.SignInError.
func (g *grant) signIn(isNeeded bool) tool.SignIn {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.signing != nil {
		return g.signing
	}
	m := g.membership
	access, isKnown := connect.SameAccess(g.entry.Credential)
	isEnough := g.isOffered || !g.entry.Credential.Usable(m.started)
	if !isKnown || !isNeeded && isEnough || m.options.Now().Before(g.pausedUntil) {
		return nil
	}
	g.isOffered = true
	ctx, cancel := context.WithTimeout(m.signIns, m.options.ApprovalTimeout)
	started := &signIn{
		grant: g, held: g.entry, id: rand.Text(), cancel: cancel, announced: make(chan struct{}), ended: make(chan struct{}),
	}
	g.signing = started
	m.noting.Go(func() { started.run(ctx, access) })
	return started
}

// run signs in. The next call reads the new grant from the cache.
func (s *signIn) run(ctx context.Context, access connect.AccessRequest) {
	defer close(s.ended)
	defer s.cancel()
	if s.err = s.replace(ctx, access); s.err != nil {
		s.grant.mu.Lock()
		defer s.grant.mu.Unlock()
		s.grant.signing, s.grant.pausedUntil = nil, s.grant.membership.options.Now().Add(declinePause)
	}
}

// replace signs in and stores the new grant in place of the ended one. It refuses wider or other access.
func (s *signIn) replace(ctx context.Context, access connect.AccessRequest) error {
	m := s.grant.membership
	options := m.options
	if err := options.Cache.Prepare(s.held.ProviderURL); err != nil {
		return err
	}
	approved, err := connect.Connect(ctx, connect.Options{
		ProviderURL: s.held.ProviderURL, CacheRoot: options.Cache.NamedRoot(), ClientName: s.held.Client.ClientName,
		Access: access, Exact: true, Label: s.held.Credential.Label, Announce: s.announce, Transport: options.Transport, RSTimeout: options.Timeout,
	})
	if err != nil {
		return err
	}
	if err := options.Cache.Replace(s.held, approved); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.names, s.held.Credential.GrantID); i >= 0 && approved.Credential.GrantID != "" {
		m.names = slices.Clone(m.names)
		m.names[i] = approved.Credential.GrantID
	}
	return nil
}

// announce keeps the page for Page. It ends the sign-in if the page has another origin than the provider, and than the
// authorization server that the provider's metadata names.
func (s *signIn) announce(page connect.Approval) {
	if origin := tool.ProviderOrigin(page.URL); origin != s.held.ProviderURL && origin != tool.ProviderOrigin(page.Issuer) {
		s.cancel()
		return
	}
	s.page = page
	close(s.announced)
}

func (s *signIn) ID() string { return s.id }

func (s *signIn) Page(ctx context.Context) (url, message string, err error) {
	select {
	case <-s.announced:
	case <-s.ended:
		return "", "", s.err
	case <-ctx.Done():
		return "", "", ctx.Err()
	}
	message = fmt.Sprintf("The access of %s to %s has ended. To approve the same access again, open this page of %s.",
		cmp.Or(s.held.Client.ClientName, connect.DefaultClientName), s.held.ProviderURL, tool.ProviderOrigin(s.page.URL))
	if s.page.UserCode != "" {
		message += " Compare the code: " + s.page.UserCode
	}
	return s.page.URL, message, nil
}

func (s *signIn) Offer() bool { return s.isOffered.CompareAndSwap(false, true) }

func (s *signIn) Decline() {
	s.cancel()
	<-s.ended
}

func (s *signIn) Wait(ctx context.Context) error {
	select {
	case <-s.ended:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
