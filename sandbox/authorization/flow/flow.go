// Package flow lets clients ask the sandbox's owner for access: registration, authorization code with
// PKCE, device authorization, agent connect, refresh and revocation.
//
// github.com/luikyv/go-oidc implements the protocol. This package is the library's storage, which hands what
// the owner approved to a Keeper, and adds what is PDPP's: the consent page with its choice of connections,
// the ids of grants in token answers, and agent connect.
package flow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"
	"github.com/luikyv/go-oidc/pkg/provider"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

// Paths of the endpoints, below the issuer.
const (
	prefix                  = "/oauth"
	AuthorizePath           = prefix + "/authorize"
	TokenPath               = prefix + "/token"
	RegistrationPath        = prefix + "/register"
	RevocationPath          = prefix + "/revoke"
	DeviceAuthorizationPath = prefix + "/device_authorization"
	PushedPath              = prefix + "/par"
	VerificationPath        = prefix + "/device"
	AgentConnectPath        = "/agent-connect"
)

// Scope is the only scope: grants determine what may be read.
const Scope = "pdpp:read"

// Lifetimes. The 300 seconds of a device authorization are fixed by the library.
const (
	codeLifetime    = time.Minute
	consentLifetime = 15 * time.Minute
	// accessLifetime is short, since a client that can follow redirects can also refresh.
	accessLifetime = 10 * time.Minute
	// deviceAccessLifetime is long, because command line clients store only the access token.
	deviceAccessLifetime = 30 * 24 * time.Hour
	refreshLifetime      = 30 * 24 * time.Hour
	// singleUseLifetime is the lifetime of the only token of a single-use grant.
	singleUseLifetime = 24 * time.Hour
)

// maxBodyBytes bounds the body of every request, in bytes.
const maxBodyBytes = 64 << 10

// Options configures a Flow.
type Options struct {
	Issuer      string    // the issuer's origin, without a trailing slash
	Resources   []string  // the values of the resource parameter that are accepted
	DetailsType string    // the type of authorization_details that is understood
	Documents   Documents // whether clients may be named by metadata documents
	Strict      bool      // refuse unknown members of a registration, and send no iss, as the reference provider does
	AnyChoice   bool      // the owner may approve several connections for a client that can read one
	Keeper      Keeper
	Clock       func() time.Time // the current time, for every expiry
}

// Flow serves the endpoints. It is safe for concurrent use.
type Flow struct {
	issuer    string
	strict    bool
	anyChoice bool
	keeper    Keeper
	clock     func() time.Time
	library   http.Handler
	formKey   []byte // signs the consent forms

	clients        *clients
	sessions       *sessions
	authorizations *authorizations
	attempts       *attempts
	pushed         *pushedRequests

	// redeeming serializes token requests, so that two cannot redeem the same code or refresh token: the
	// library reads and saves in two steps.
	redeeming sync.Mutex
	// deciding serializes consent forms, so that a double click approves once.
	deciding sync.Mutex
}

// New returns a Flow. It fails if the library refuses its options.
func New(options Options) (*Flow, error) {
	times := shiftedTime{clock: options.Clock}
	f := &Flow{
		issuer:         options.Issuer,
		strict:         options.Strict,
		anyChoice:      options.AnyChoice,
		keeper:         options.Keeper,
		clock:          options.Clock,
		formKey:        make([]byte, 32),
		clients:        newClients(newDocuments(options.Documents, options.Clock)),
		sessions:       newSessions(times),
		authorizations: newAuthorizations(times, options.Keeper),
		attempts:       newAttempts(options.Clock),
		pushed:         &pushedRequests{clock: options.Clock, byURI: map[string]pushedRequest{}},
	}
	_, _ = rand.Read(f.formKey) // crypto/rand never fails: it ends the program instead
	library, err := provider.New(options.Issuer, f.authorizations, noKeys, f.libraryOptions(options)...)
	if err != nil {
		return nil, fmt.Errorf("set up the OAuth library: %w", err)
	}
	f.library = library.Handler()
	return f, nil
}

func (f *Flow) libraryOptions(options Options) []provider.Option {
	storage := struct {
		*sessions
		*authorizations
	}{f.sessions, f.authorizations}
	common := []provider.Option{
		provider.WithPathPrefix(prefix),
		provider.WithAuthCodeGrant(storage, goidc.ResponseTypeCode),
		provider.WithPKCERequired(goidc.CodeChallengeMethodSHA256),
		provider.WithAuthCodeLifetime(int(codeLifetime.Seconds())),
		provider.WithAuthSessionLifetime(int(consentLifetime.Seconds())),
		provider.WithDeviceGrant(storage, f.askUserCode, f.confirmDevice),
		provider.WithPolicies(goidc.NewPolicy("consent", forEveryRequest, f.consent)),
		provider.WithRefreshTokenGrant(f.authorizations),
		provider.WithRefreshTokenRotation(),
		provider.WithRefreshTokenShouldIssue(func(_ context.Context, client *goidc.Client, grant *goidc.Grant) bool {
			return slices.Contains(client.GrantTypes, goidc.GrantRefreshToken) && !approvedBy(grant).SingleUse
		}),
		provider.WithRefreshTokenLifetime(int(refreshLifetime.Seconds())),
		provider.WithRefreshTokenFunc(func(context.Context) string { return "rt_" + opaque.Text() }),
		provider.WithTokenRevocation(func(context.Context, *goidc.Client) bool { return true }),
		provider.WithOpaqueTokens(f.authorizations),
		provider.WithOpaqueTokenFunc(func(context.Context, *goidc.Grant) string { return opaque.Text() }),
		provider.WithTokenOptions(tokenOptions),
		provider.WithDCR(f.clients),
		provider.WithDCRClientID(func(context.Context) string { return opaque.ID("cli_") }),
		provider.WithLocalhostRedirectURIs(),
		provider.WithNoneAuthn(),
		provider.WithSecretBasicAuthn(),
		provider.WithSecretPostAuthn(),
		provider.WithDefaultAuthn(goidc.AuthnMethodNone),
		provider.WithScopes(goidc.NewScope(Scope)),
		provider.WithResourceIndicators(options.Resources[0], options.Resources[1:]...),
		provider.WithRAR(goidc.AuthDetailType(options.DetailsType)),
		provider.WithRARDetailValidator(f.checkDetail),
		provider.WithErrorRenderer(f.renderError),
		provider.WithErrorHandler(noteCause),
		provider.WithHTTPClientFunc(offline),
		// No client signs anything, so nothing can be replayed; without this the library warns.
		provider.WithJTIConsumer(func(context.Context, string) error { return nil }),
	}
	if options.Strict {
		return common
	}
	return append(common, provider.WithIssuerResponseParameter())
}

// Handler serves every path of this package.
func (f *Flow) Handler() http.Handler {
	mux := http.NewServeMux()
	pages := f.pages()
	for _, path := range []string{
		AuthorizePath, AuthorizePath + "/{callback}", VerificationPath,
		VerificationPath + "/{callback}",
	} {
		mux.Handle("GET "+path, pages)
		mux.Handle("POST "+path, pages)
	}
	for path, serve := range map[string]http.HandlerFunc{
		TokenPath:                        f.redeem,
		RevocationPath:                   f.revoke,
		RegistrationPath:                 f.register,
		DeviceAuthorizationPath:          f.authorizeDevice,
		PushedPath:                       f.push,
		AgentConnectPath:                 f.startAgentConnect,
		AgentConnectPath + "/{id}/token": f.pollAgentConnect,
	} {
		mux.Handle(path, respond.AnyOrigin(http.MethodPost, bounded(serve)))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" && r.Method == http.MethodGet &&
			webpage.PrefersHTML(r.Header.Values("Accept")) {
			_ = writeMessage(w, http.StatusNotFound, "There is nothing here",
				"Go back to the application, and open its link again.")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Paths returns what Handler serves, as patterns of http.ServeMux.
func Paths() []string {
	return []string{prefix + "/", AgentConnectPath, AgentConnectPath + "/"}
}

func bounded(serve http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		serve.ServeHTTP(w, r)
	})
}

func forEveryRequest(*http.Request, *goidc.AuthnSession, *goidc.Client) bool { return true }

func tokenOptions(_ context.Context, grant *goidc.Grant, _ *goidc.Client) goidc.TokenOptions {
	lifetime := accessLifetime
	switch {
	case approvedBy(grant).SingleUse:
		lifetime = singleUseLifetime
	case grant.DeviceCode != "":
		lifetime = deviceAccessLifetime
	}
	return goidc.NewOpaqueTokenOptions(int(lifetime.Seconds()))
}

// noKeys returns an empty key set. Nothing is signed, because tokens are opaque and there is no OpenID scope.
func noKeys(context.Context) (goidc.JSONWebKeySet, error) { return goidc.JSONWebKeySet{}, nil }

// offline keeps the library from fetching URLs in a client's registration.
func offline(context.Context) *http.Client { return &http.Client{Transport: refusingTransport{}} }

type refusingTransport struct{}

// errOffline reports that the sandbox makes no requests for its clients.
var errOffline = errors.New("the sandbox fetches nothing for its clients; register values, not URLs of values")

func (refusingTransport) RoundTrip(*http.Request) (*http.Response, error) { return nil, errOffline }
