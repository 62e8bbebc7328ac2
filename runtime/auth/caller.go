package auth

import (
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Kind is what introspection says a token is for. It is never read out of the token (R-HOST-4).
type Kind string

// The kinds that are let in. Owner tokens and every other kind are refused.
const (
	KindClient  Kind = rs.KindClient  // one grant; the caller's own bearer reads the resource server
	KindPackage Kind = rs.KindPackage // several grants; each member has a bearer of its own (R-PKG-1)
)

// Caller is who sent a request, as introspection says. Requests with the same token share it, so it must
// not be changed. It holds the members' bearers, but prints without them.
type Caller struct {
	Kind      Kind
	ClientID  string    // the OAuth client; empty when the authorization server does not say
	GrantID   string    // of a client token; empty when the authorization server does not say
	PackageID string    // of a package token
	Expires   time.Time // when the token ends; zero when the authorization server sets no end
	Members   []Member  // of a package, in the order in which they were published; at least one is active

	// TokenHash is the start of the token's SHA-256, 16 hexadecimal digits. It is the same for every
	// request with the token, tells nothing of it, and may stand in logs and rate limit keys.
	TokenHash string
}

// Member is one source of a package. A member that is not active is kept, so that it can be named as
// missing (R-PKG-8).
type Member struct {
	GrantID      string
	Active       bool   // the status is active and there is a bearer to read with
	Status       string // as the authorization server spells it: active, revoked, expired …
	ConnectionID string
	ConnectorKey string
	DisplayName  string
	Streams      []string  // names that the grant covers
	Bearer       rs.Secret // zero when the member is not active
}

// ActiveMembers gives the members that can be read.
func (c *Caller) ActiveMembers() []Member {
	var active []Member
	for _, member := range c.Members {
		if member.Active {
			active = append(active, member)
		}
	}
	return active
}
