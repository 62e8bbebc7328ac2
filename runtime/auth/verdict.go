package auth

import (
	"net/url"
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
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
	// request with the token, does not reveal it, and may stand in logs and rate limit keys.
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

// judge turns an answer into a verdict. The lifetime counts from when the question was asked, so that a
// slow answer is not believed for longer.
func (v *Verifier) judge(a *answer, tokenHash string, asked time.Time) *verdict {
	if refusal := v.refuse(a); refusal != nil {
		return &verdict{refusal: refusal, until: asked.Add(negativeLifetime)}
	}
	until := asked.Add(positiveLifetime)
	if !a.Expires.IsZero() && a.Expires.Before(until) {
		until = a.Expires
	}
	caller := a.Caller
	caller.TokenHash = tokenHash
	return &verdict{until: until, caller: &caller}
}

// refuse gives the first reason against a token, or nil (R-HOST-4, R-HOST-10, R-PKG-1).
func (v *Verifier) refuse(a *answer) *Refusal {
	switch {
	case !a.active:
		return badToken("The access token is unknown, revoked or expired. Refresh it or sign in again.")
	case !a.Expires.IsZero() && !v.options.Clock().Before(a.Expires):
		return badToken("The access token is expired. Refresh it or sign in again.")
	case a.Kind == rs.KindOwner: // told apart from other unwanted kinds only in what the refusal says
		return forbidden("This server does not accept an owner's token. Sign in to get a token for what was granted.")
	case a.Kind != KindClient && a.Kind != KindPackage:
		return forbidden("This server accepts tokens of the kinds client and mcp_package only. Sign in to get one.")
	case a.audienceGiven && !v.admits(a.audience):
		return forbidden("The access token was issued for another resource. Sign in with the resource that error.resource_metadata names.")
	case a.Kind == KindClient:
		return nil
	case !a.membersGiven:
		return unsupportedPackage
	case !slices.ContainsFunc(a.Members, func(member Member) bool { return member.Active }):
		return revokedPackage
	}
	return nil
}

// admits reports whether one of the reported audiences is accepted (R-HOST-10).
func (v *Verifier) admits(reported []string) bool {
	return slices.ContainsFunc(reported, func(audience string) bool { return v.audiences[canonical(audience)] })
}

// canonical makes the spellings of one URL equal. What is no URL stays as it is.
func canonical(audience string) string {
	parsed, err := url.Parse(audience)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		return audience
	}
	return address.Canonical(parsed)
}
