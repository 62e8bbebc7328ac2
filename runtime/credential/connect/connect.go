// Package connect signs in at a PDPP provider: it finds the authorization server, asks the owner for access by
// agent connect or device authorization (RFC 8628), waits for the decision, and tries the token. It stores
// nothing.
package connect

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Scope is what is asked for where the authorization server takes a scope. What of it may be read, the grant
// says.
const Scope = "pdpp:read"

// DefaultClientName is the name that owners see when Options has none.
const DefaultClientName = "pdpp-mcp"

// Options says where to sign in and what to ask for.
type Options struct {
	// ProviderURL is the provider's origin: https, or http on a loopback address.
	ProviderURL string

	CacheRoot  string // named in the command lines of errors, as credential.Cache.NamedRoot gives it
	ClientName string // that the owner sees; empty means DefaultClientName
	ClientID   string // of a client that the authorization server knows; empty: one is registered

	Sources []string // connectors to ask for, such as https://registry.pdpp.dev/connectors/gmail; none: the owner chooses
	Streams []string // of each source; none: all of them

	// Announce shows the approval to the person who can give it. It is called once, before the waiting begins,
	// and must not block. It is required.
	Announce func(Approval)

	Transport http.RoundTripper // nil: one of its own, made by rs.NewTransport
	RSTimeout time.Duration     // of the request that tries the token; 0 means rs.DefaultTimeout
}

// Approval is what the owner needs to decide.
type Approval struct {
	URL       string    // http or https; a page of the authorization server
	UserCode  string    // to compare or to type in; empty when there is none
	ExpiresAt time.Time // when the authorization server gives up waiting
}

// Connect gives a scoped credential that the owner approved and that the resource server accepts. It ends with the
// context, whose error it then gives; every other error is a *credential.Error. A denial is of class Refused and
// wraps ErrDenied, an expiry is of class Configuration and wraps ErrExpired; a token of another kind than client is
// of class Refused.
func Connect(ctx context.Context, options Options) (*credential.Entry, error) {
	asker, err := newAsker(options.ProviderURL, options.Transport)
	if err != nil {
		return nil, err
	}
	options.ClientName = cmp.Or(options.ClientName, DefaultClientName)
	options.Transport = asker.client.Transport
	resource, err := asker.resource(ctx)
	if err != nil {
		return nil, err
	}
	server, err := asker.serverOf(ctx, resource)
	if err != nil {
		return nil, err
	}
	signing := &signIn{Options: options, server: server, asker: asker}
	issued, err := signing.run(ctx)
	if err != nil {
		return nil, err
	}
	return signing.verified(ctx, issued)
}

// signIn is one run through a flow.
type signIn struct {
	Options

	server *authorizationServer
	asker  *asker

	announced bool // the owner has been asked
}

// accepted decodes an answer, unless it did not come or the server refuses.
func (s *signIn) accepted(answer *answer, err error, into any) error {
	switch {
	case err != nil:
		return err
	case !answer.isSuccess():
		return s.failed(answer.refused())
	}
	return answer.decode(into)
}

func (s *signIn) announce(approval Approval) {
	s.announced = true
	s.Announce(approval)
}

// issued is a token that the owner approved.
type issued struct {
	client    credential.Client
	token     rs.Secret
	grantID   string // empty when the authorization server did not say
	packageID string // of a token that stands for several grants
	kind      string // by rs.TokenKind; empty when the authorization server did not say
	scope     string
	expiresAt time.Time // zero when it does not end by itself
}

// run takes agent connect where there is one. It goes on to device authorization when agent connect wants to
// be asked in another way.
func (s *signIn) run(ctx context.Context) (*issued, error) {
	if s.server.AgentConnectEndpoint == "" {
		return s.deviceAuthorization(ctx)
	}
	issued, err := s.agentConnect(ctx)
	if s.announced || !isInvalidRequest(err) || s.server.DeviceAuthorization == "" {
		return issued, err
	}
	if device, deviceErr := s.deviceAuthorization(ctx); s.announced || !isInvalidRequest(deviceErr) {
		return device, deviceErr
	}
	return nil, err
}

// entry is what the cache keeps. A refresh token is not among it: nothing here would use it, and a secret that
// is not kept cannot be lost.
func (s *signIn) entry(issued *issued, now time.Time) *credential.Entry {
	return &credential.Entry{
		ProviderURL:         s.asker.provider,
		AuthorizationServer: s.server.Issuer,
		Scope:               issued.scope,
		Client:              issued.client,
		Credential: credential.Credential{
			AccessToken: issued.token,
			TokenType:   "Bearer",
			ExpiresAt:   issued.expiresAt.UTC().Truncate(time.Millisecond),
			GrantID:     issued.grantID,
			Scope:       issued.scope,
		},
		CreatedAt: now.UTC().Truncate(time.Millisecond),
	}
}

// Revoke asks the authorization server that issued a credential to end it (RFC 7009). It is false when that
// server revokes no tokens, or is not known. A nil transport means one of its own. The grant stays: its owner ends
// it at the provider. Errors are those of Connect.
func Revoke(ctx context.Context, entry *credential.Entry, transport http.RoundTripper) (bool, error) {
	if entry.AuthorizationServer == "" || entry.Credential.OwnerMark() != "" {
		return false, nil
	}
	asker, err := newAsker(entry.ProviderURL, transport)
	if err != nil {
		return false, err
	}
	server, err := asker.authorizationServer(ctx, entry.AuthorizationServer)
	if err != nil || server.Revocation == "" {
		return false, err
	}
	token := entry.Credential.AccessToken.Reveal()
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	if entry.Client.ClientID != "" {
		form.Set("client_id", entry.Client.ClientID)
	}
	answer, err := asker.postForm(ctx, server.Revocation, form)
	if err != nil {
		return false, err
	}
	if !answer.isSuccess() {
		signing := &signIn{asker: asker, server: server}
		failure := signing.failed(answer.refused(token))
		failure.NextStep = "ask the provider to revoke the grant"
		return false, failure
	}
	return true, nil
}
