// Package connect signs in at a PDPP provider: it finds the authorization server, asks the owner for access by
// agent connect, device authorization (RFC 8628) or an authorization code (RFC 8252), waits for the decision, and tries
// the token. It stores nothing.
package connect

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
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
	ClientID   string // of a client that the authorization server knows, or the URL of its metadata document; empty: one is registered

	Asked Asked
	Label string // by which the person names the grant; may be empty
	Flow  Flow   // empty: the first that the authorization server has

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
	ExpiresAt time.Time // when the waiting ends

	OnThisMachine   bool // the page leads back to this machine, so it must be opened here
	OwnerChooses    bool // nothing in particular is asked for
	OmitsConnection bool // a source is asked for without a connection, so the page goes on only if it has a single one
}

// Connect gives a scoped credential that the owner approved and that the resource server accepts. It ends with the
// context, whose error it then gives; every other error is a *credential.Error. A denial is of class Refused and
// wraps ErrDenied, an expiry is of class Configuration and wraps ErrExpired; a token of another kind than client is
// of class Refused.
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
	options.Transport = inspection.asker.client.Transport
	signing := &signIn{Options: options, server: server, asker: inspection.asker}
	issued, err := signing.run(ctx)
	if err != nil {
		return nil, err
	}
	if err := signing.verify(ctx, issued); err != nil {
		return nil, signing.givenBack(ctx, issued, err)
	}
	return &issued.Entry, nil
}

// Flow is a way to ask the owner.
type Flow string

// The flows, in the order in which they are tried. Only an authorization code gives a refresh token.
const (
	AgentConnect        Flow = "agent-connect"
	DeviceAuthorization Flow = "device"
	AuthorizationCode   Flow = "code"
)

// Flows are those that there are.
func Flows() []Flow { return []Flow{AgentConnect, DeviceAuthorization, AuthorizationCode} }

// signIn is one run through a flow.
type signIn struct {
	Options

	server *authorizationServer
	asker  *asker

	announced bool // the owner has been asked
}

// accepted decodes an answer, unless it did not come or the server refuses.
// The secrets that were sent are kept out of its error.
func (s *signIn) accepted(answer *answer, err error, into any, secrets ...string) error {
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
	approval.OwnerChooses, approval.OmitsConnection = !s.Asked.namesAnything(), s.Asked.omitsConnection()
	s.Announce(approval)
}

// issued is a token that the owner approved, with what its authorization server said of it.
type issued struct {
	credential.Entry

	kind      string // by rs.TokenKind; empty when it was not said
	packageID string // of a token that stands for several grants
}

// run takes the flow that was asked for, or the first that there is. It goes on from agent connect to device
// authorization when that wants to be asked in another way.
func (s *signIn) run(ctx context.Context) (*issued, error) {
	flow := s.Flow
	offered := s.server.flows()
	switch {
	case flow == "":
		flow = offered[0] // checkOffers has seen one
	case !slices.Contains(offered, flow):
		return nil, credential.Misconfigured(fmt.Sprintf("%s has no sign-in by %q", s.server.Issuer, flow),
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
