// Package authorization is the sandbox's authorization server. It starts with ready grants for every case that a
// client can meet, keeps grants and tokens in memory, and answers token introspection (RFC 7662), with the
// members of packages for the hosted adapter. Package flow lets clients request more from the owner; what it
// issues is kept in the same tables.
//
// The ids of the ready grants depend on the grant's name only, so they survive a restart; tokens are
// random and new in every Server.
package authorization

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// ErrUnknownGrant reports that no grant or package has the id.
var ErrUnknownGrant = errors.New("no grant or package has this id")

// Server holds grants and tokens. It is safe for concurrent use.
type Server struct {
	issuer   string
	resource string
	caller   Caller
	clock    func() time.Time
	newToken func(name string) string
	started  time.Time
	set      catalog.Dataset
	further  map[string]catalog.Grant // by name

	adapters       []string // origins
	strict         bool     // of registrations
	anyChoice      bool     // of the owner
	withoutMembers bool
	ownersChoice   bool
	documents      flow.Documents

	flow *flow.Flow

	mu         sync.RWMutex
	grants     map[string]catalog.Grant // by id
	approvedAt map[string]time.Time     // by grant id; the ready grants are not here
	packages   map[string]grantPackage  // by id
	bearers    map[string]bearer        // by token
	tokens     map[string]string        // by name
	onRevoke   func(grantID string)     // may be nil
}

// OnRevoke registers a function that is called with the id of each revoked grant. It must be quick, and must not call
// the Server.
func (s *Server) OnRevoke(notify func(grantID string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onRevoke = notify
}

// Caller is the confidential client that may introspect.
type Caller struct {
	ID     string
	Secret string
}

// Option changes how New builds a Server.
type Option func(*Server)

// WithResource sets the resource server that tokens are for (aud); the default is the issuer.
func WithResource(resource string) Option { return func(s *Server) { s.resource = resource } }

// WithClock sets the time that expiry is compared with; the default is time.Now.
func WithClock(now func() time.Time) Option { return func(s *Server) { s.clock = now } }

// WithTokens names tokens after their grants, for tests that need the same token in every run. Such
// tokens can be guessed.
func WithTokens(token func(name string) string) Option {
	return func(s *Server) { s.newToken = token }
}

// WithMembers sets whether introspection publishes the members of packages; the default is true.
func WithMembers(published bool) Option {
	return func(s *Server) { s.withoutMembers = !published }
}

// WithDocuments sets whether clients may be named by the URL of a metadata document, which the server then advertises;
// the default is flow.NoDocuments.
func WithDocuments(allowed flow.Documents) Option { return func(s *Server) { s.documents = allowed } }

// WithAdapters accepts tokens for adapters on other origins, such as pdpp-mcp serve at http://127.0.0.1:8788.
func WithAdapters(origins ...string) Option { return func(s *Server) { s.adapters = origins } }

// WithStrictRegistration makes the server register as the reference provider does: unknown client metadata are refused,
// scope too, and the metadata list no scopes.
func WithStrictRegistration(strict bool) Option { return func(s *Server) { s.strict = strict } }

// WithAnyChoice lets the owner approve several connections for a client that can read one, as the page of the reference
// provider does. The client then gets a package that it cannot use.
func WithAnyChoice(allowed bool) Option { return func(s *Server) { s.anyChoice = allowed } }

// WithOwnersChoice lets the owner choose among the connections that fit if a client omits instance_ids. By default a
// request without instance_ids is refused unless exactly one connection fits, as in PDPP v0.1.
func WithOwnersChoice(allowed bool) Option {
	return func(s *Server) { s.ownersChoice = allowed }
}

// WithGrants adds ready grants and their client tokens, by name. A grant without a client gets the sandbox's client.
func WithGrants(grants map[string]catalog.Grant) Option {
	return func(s *Server) { s.further = grants }
}

// New builds a Server with the ready grants over set. The issuer is its own URL without a path.
func New(issuer string, set catalog.Dataset, options ...Option) *Server {
	s := &Server{
		issuer:     issuer,
		resource:   issuer,
		caller:     Caller{ID: "pdpp-sandbox-adapter", Secret: opaque.Text()},
		clock:      time.Now,
		newToken:   func(string) string { return opaque.Text() },
		set:        set,
		grants:     map[string]catalog.Grant{},
		approvedAt: map[string]time.Time{},
		packages:   map[string]grantPackage{},
		bearers:    map[string]bearer{},
		tokens:     map[string]string{},
	}
	for _, apply := range options {
		apply(s)
	}
	s.started = s.clock()
	s.issueReadyGrants()
	s.flow = s.newFlow()
	return s
}

// newFlow returns the flow. It accepts as resource the resource server's origin, with and without the slash that
// clients add when they parse it, and the adapters on the same and on other origins.
func (s *Server) newFlow() *flow.Flow {
	resources := []string{s.resource, s.resource + "/", s.resource + AdapterPath}
	for _, origin := range s.adapters {
		resources = append(resources, origin, origin+"/", origin+AdapterPath)
	}
	flows, err := flow.New(flow.Options{
		Issuer: s.issuer, Resources: resources,
		DetailsType: detailsType, Documents: s.documents, Strict: s.strict, AnyChoice: s.anyChoice,
		Keeper: keeper{s}, Clock: s.clock,
	})
	if err != nil {
		panic(err) // the options are fixed, so a test would have met this
	}
	return flows
}

// Handler serves the metadata (RFC 8414) and the endpoints that it names.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+IntrospectionPath, s.introspect)
	mux.Handle(MetadataPath, respond.AnyOrigin(http.MethodGet, http.HandlerFunc(s.metadata)))
	mux.Handle("/", s.flow.Handler())
	return mux
}

// Paths returns what Handler serves, as patterns of http.ServeMux.
func Paths() []string {
	return append(flow.Paths(), IntrospectionPath, MetadataPath)
}

// Caller returns the credentials that introspection asks for.
func (s *Server) Caller() Caller { return s.caller }

// Tokens returns the ready tokens by name: owner, everything, gmail_personal, gmail_both, spotify,
// slack, narrow, revoked, expired, package, package_single and package_revoked.
func (s *Server) Tokens() map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Clone(s.tokens)
}

// Credential has the values that a client stores after its approval.
type Credential struct {
	Token     string
	ClientID  string
	GrantID   string // empty for owner and package tokens
	ExpiresAt time.Time
}

// Credential returns the ready credential of a name in Tokens.
func (s *Server) Credential(name string) (Credential, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	token, found := s.tokens[name]
	if !found {
		return Credential{}, false
	}
	b := s.bearers[token]
	return Credential{Token: token, ClientID: b.clientID, GrantID: b.grantID, ExpiresAt: b.expiresAt}, true
}

// Access returns what a bearer may read. It returns false for an unknown token, and for an expired or revoked token of
// an owner or a package. It still returns an expired or revoked client token, or one of such a grant, with the grant
// marked as such, because the resource server answers it with a specific code.
func (s *Server) Access(token string) (catalog.Access, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b, found := s.bearers[token]
	dead := b.revoked || b.expired(s.clock())
	if !found || dead && b.kind != kindClient {
		return catalog.Access{}, false
	}
	access := catalog.Access{Kind: b.kind, ClientID: b.clientID}
	switch b.kind {
	case kindClient:
		grant := s.grants[b.grantID]
		grant.Revoked = grant.Revoked || b.revoked
		if b.expired(s.clock()) {
			grant.ExpiresAt = b.expiresAt
		}
		access.Grants = []catalog.Grant{grant}
	case kindPackage:
		p := s.packages[b.packageID]
		if p.revoked {
			return catalog.Access{}, false
		}
		for _, m := range p.members {
			access.Grants = append(access.Grants, s.grants[m.grantID])
		}
	}
	return access, true
}

// Grant returns the current state of a grant, also of a revoked or expired one.
func (s *Server) Grant(id string) (catalog.Grant, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	grant, found := s.grants[id]
	return grant, found
}

// Revoke withdraws a grant, or a package with all of its members' grants, from the next request on. Revoking twice is
// not an error. It returns ErrUnknownGrant for an unknown id.
func (s *Server) Revoke(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, found := s.packages[id]; found {
		p.revoked = true
		s.packages[id] = p
		for _, m := range p.members {
			s.revokeGrant(m.grantID)
		}
		return nil
	}
	if _, found := s.grants[id]; !found {
		return fmt.Errorf("revoke %q: %w; GrantIDs lists the ids", id, ErrUnknownGrant)
	}
	s.revokeGrant(id)
	return nil
}

func (s *Server) revokeGrant(id string) {
	g := s.grants[id]
	g.Revoked = true
	s.grants[id] = g
	if s.onRevoke != nil {
		s.onRevoke(id)
	}
}

// GrantIDs returns the ids that Revoke accepts, sorted.
func (s *Server) GrantIDs() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := slices.AppendSeq(slices.Collect(maps.Keys(s.grants)), maps.Keys(s.packages))
	slices.Sort(ids)
	return ids
}
