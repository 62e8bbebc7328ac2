// Package connect signs in at a PDPP provider. It finds the authorization server, requests access by agent connect,
// device authorization (RFC 8628) or an authorization code (RFC 8252), waits for the owner's decision and tries the
// token. It also renews and revokes tokens. Connect stores nothing; Renewal stores in the credential cache.
package connect

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// Scope is the requested scope. The grant decides what may be read.
const Scope = "pdpp:read"

// DefaultClientName is the client name that owners see by default.
const DefaultClientName = "pdpp-mcp"

// Options say where to sign in and what to request.
type Options struct {
	// ProviderURL is the provider's origin: https, or http on a loopback address.
	ProviderURL string

	CacheRoot  string // for command lines in errors, as credential.Cache.NamedRoot returns it
	ClientName string // shown to the owner; empty: DefaultClientName
	ClientID   string // of a known client, or the URL of its metadata document; empty: a client is registered

	Access AccessRequest
	Exact  bool   // refuse a grant of wider or other access than Access, or one that the authorization server does not describe
	Label  string // the user's name for the grant; may be empty
	Flow   Flow   // empty: the first that the authorization server offers

	// Announce shows the approval to the owner. It is called once, before polling starts, and must not block. It is
	// required.
	Announce func(Approval)

	Transport http.RoundTripper // nil: rs.NewTransport
	RSTimeout time.Duration     // of the request that tries the token; 0: rs.DefaultTimeout
}

// Approval has the information with which the owner decides.
type Approval struct {
	URL       string    // http or https; a page of the authorization server
	Issuer    string    // of the authorization server that the provider's metadata names
	UserCode  string    // to compare or to enter; letters, digits and dashes; may be empty
	ExpiresAt time.Time // when waiting ends

	OnThisMachine   bool // the page redirects to this machine and must be opened here
	OwnerChooses    bool // nothing in particular is requested
	OmitsConnection bool // a source is requested without a connection; the page fails if it has several
}

// Connect returns a scoped credential that the owner approved and that the resource server accepts. If the context
// ends, it returns the context's error; every other error is a *credential.Error. A denial is of class Refused and
// wraps ErrDenied. An expired request is of class Configuration and wraps ErrExpired. A token of another kind than
// client is of class Refused.
func Connect(ctx context.Context, options Options) (*credential.Entry, error) {
	inspection, err := Inspect(ctx, options.ProviderURL, options.Transport)
	if err != nil {
		return nil, err
	}
	server, err := inspection.server(ctx)
	if err != nil {
		return nil, err
	}
	options.ClientName = cmp.Or(options.ClientName, DefaultClientName)
	options.Transport = inspection.requester.client.Transport
	signing := &signIn{Options: options, server: server, requester: inspection.requester}
	issued, err := signing.run(ctx)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(signing.verify(ctx, issued), signing.compare(issued)); err != nil {
		return nil, signing.discard(ctx, issued, err)
	}
	return &issued.Entry, nil
}

// Flow is a way to sign in.
type Flow string

// The flows, in order of preference. Only an authorization code yields a refresh token.
const (
	AgentConnect        Flow = "agent-connect"
	DeviceAuthorization Flow = "device"
	AuthorizationCode   Flow = "code"
)

// Flows returns all flows.
func Flows() []Flow { return []Flow{AgentConnect, DeviceAuthorization, AuthorizationCode} }

type signIn struct {
	Options

	server    *authorizationServer
	requester *requester

	announced bool // Announce was called
}

// decodeSuccess decodes a successful response. It keeps the sent secrets out of its error.
func (s *signIn) decodeSuccess(answer *answer, err error, into any, secrets ...string) error {
	switch {
	case err != nil:
		return err
	case !answer.isSuccess():
		return s.failed(answer.refused(secrets...))
	}
	return answer.decode(into)
}

func (s *signIn) announce(approval Approval) {
	s.announced = true
	approval.Issuer = s.server.Issuer
	approval.OwnerChooses, approval.OmitsConnection = !s.Access.namesAnything(), s.Access.omitsConnection()
	s.Announce(approval)
}

type issued struct {
	credential.Entry

	kind string // by rs.TokenKind; empty: unknown
}

// run runs the requested flow or the first offered one. If agent connect refuses the form of the request, it tries the
// device flow.
func (s *signIn) run(ctx context.Context) (*issued, error) {
	flow := s.Flow
	offered := s.server.flows()
	switch {
	case flow == "":
		flow = offered[0] // Inspection.server ensures one
	case !slices.Contains(offered, flow):
		return nil, credential.Misconfigured(fmt.Sprintf("%s does not offer the sign-in %q", s.server.Issuer, flow),
			fmt.Sprintf("pass --flow %s, or leave it out", offered[0]), nil)
	}
	issued, err := s.runFlow(ctx, flow)
	if s.Flow != "" || flow != AgentConnect || s.announced || !isInvalidRequest(err) || !slices.Contains(offered, DeviceAuthorization) {
		return issued, err
	}
	if device, deviceErr := s.runFlow(ctx, DeviceAuthorization); s.announced || !isInvalidRequest(deviceErr) {
		return device, deviceErr
	}
	return nil, err
}

func (s *signIn) runFlow(ctx context.Context, flow Flow) (*issued, error) {
	switch flow {
	case AgentConnect:
		return s.agentConnect(ctx)
	case DeviceAuthorization:
		return s.deviceAuthorization(ctx)
	}
	return s.authorizationCode(ctx)
}
