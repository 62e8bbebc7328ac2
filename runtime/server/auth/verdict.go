package auth

import (
	"crypto/sha256"
	"net/url"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/granted"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Caller is the sender of a request according to introspection. Requests with the same token share it, so it must not
// be modified.
type Caller struct {
	// Kind comes from introspection, never from the token itself (R-HOST-4). rs.KindClient has one grant, read with the
	// caller's bearer. rs.KindPackage has several grants, each read with the bearer of its member (R-PKG-1).
	Kind      string
	ClientID  string           // may be empty
	GrantID   string           // of a client token; may be empty
	PackageID string           // of a package token
	Expires   time.Time        // zero if the token does not expire
	Members   []Member         // of a package; at least one is active
	Granted   []granted.Stream // from authorization_details; nil: no limit, or unknown

	// TokenHash is the start of the token's SHA-256, 16 hexadecimal digits, for logs and rate limits.
	TokenHash string
}

// Member is one source of a package. Inactive members are included, so that answers can name them as missing (R-PKG-8).
type Member struct {
	GrantID      string
	Active       bool   // the status is active and there is a bearer
	Status       string // in the authorization server's words: active, revoked, expired …
	ConnectionID string
	ConnectorKey string
	DisplayName  string
	Streams      []string
	Bearer       rs.Secret // zero if the member is not active
}

// ActiveMembers returns the members that can be read.
func (c *Caller) ActiveMembers() []Member {
	return slices.DeleteFunc(slices.Clone(c.Members), func(member Member) bool { return !member.Active })
}

func (v *Verifier) judge(a *answer, tokenHash string, asked time.Time) *verdict {
	if refusal := v.refuse(a); refusal != nil {
		return &verdict{err: refusal, until: asked.Add(negativeLifetime)}
	}
	until := asked.Add(positiveLifetime)
	if !a.Expires.IsZero() && a.Expires.Before(until) {
		until = a.Expires
	}
	caller := a.Caller
	caller.TokenHash = tokenHash
	return &verdict{until: until, caller: &caller}
}

// refuse returns the first reason against a token, or nil (R-HOST-4, R-HOST-10, R-PKG-1).
func (v *Verifier) refuse(a *answer) *Refusal {
	switch {
	case !a.active:
		return badToken("The access token is unknown, revoked or expired. Refresh it or sign in again.")
	case !a.Expires.IsZero() && !v.options.Clock().Before(a.Expires):
		return badToken("The access token is expired. Refresh it or sign in again.")
	case v.options.Clock().Before(a.notBefore):
		return badToken("The access token is not valid yet. Sign in again, or wait.")
	case a.Kind == rs.KindOwner:
		return forbidden("This server does not accept an owner's token. Sign in to get a token for what was granted.")
	case a.Kind != rs.KindClient && a.Kind != rs.KindPackage:
		return forbidden("This server accepts tokens of the kinds client and mcp_package only. Sign in to get one.")
	case a.audience != nil && !slices.ContainsFunc(a.audience, func(audience string) bool { return v.audiences[canonical(audience)] }):
		return forbidden("The access token was issued for another resource. Sign in with the resource that error.resource_metadata names.")
	case a.Kind == rs.KindClient:
		return nil
	case !a.hasMembers:
		return unsupportedPackage
	case !slices.ContainsFunc(a.Members, func(member Member) bool { return member.Active }):
		return revokedPackage
	}
	return nil
}

// canonical returns the canonical spelling of a URL. Any other text stays as it is.
func canonical(audience string) string {
	parsed, err := url.Parse(audience)
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		return audience
	}
	return address.Canonical(parsed)
}

// The maximum lifetimes of verdicts, from the request to the authorization server (docs/interfaces.md, Limits).
const (
	positiveLifetime = 60 * time.Second
	negativeLifetime = 5 * time.Second
)

// key is the SHA-256 of a token. The cache never holds a token.
type key [sha256.Size]byte

type verdict struct {
	caller *Caller
	err    error // a *Refusal, or nil
	until  time.Time
}

// kept returns the cached verdict on a token. It removes an expired one.
func (v *Verifier) kept(token key, now time.Time) (*verdict, bool) {
	for _, verdicts := range []*lru.Cache[key, *verdict]{v.refused, v.admitted} {
		if found, ok := verdicts.Get(token); ok {
			if now.Before(found.until) {
				return found, true
			}
			verdicts.Remove(token)
		}
	}
	return nil, false
}
