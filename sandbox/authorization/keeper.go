package authorization

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
)

// keeper implements flow.Keeper for a Server, so that the methods are not exported on the Server.
type keeper struct{ *Server }

// Issue activates a flow's token, here and at the resource server.
func (s keeper) Issue(issued flow.Issued) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := bearer{
		kind: kindClient, clientID: issued.ClientID, grantID: issued.Approved.GrantID, packageID: issued.Approved.PackageID,
		expiresAt: issued.ExpiresAt, audience: s.audience(issued.Resources), issued: &issued,
	}
	if b.packageID != "" {
		b.kind = kindPackage
	}
	s.bearers[issued.Token] = b
}

// Issued returns a token that Issue activated. Ready tokens are not found.
func (s keeper) Issued(token string) (flow.Issued, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	b := s.bearers[token]
	if b.issued == nil {
		return flow.Issued{}, false
	}
	issued := *b.issued
	issued.Revoked = b.revoked
	return issued, true
}

// RevokeToken ends one token from the next request on.
func (s keeper) RevokeToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, found := s.bearers[token]; found {
		b.revoked = true
		s.bearers[token] = b
	}
}

// RevokeReady ends a token that was ready at the start. Its client is public, and the library does not know it.
func (s keeper) RevokeReady(token, clientID string) bool {
	s.mu.RLock()
	b, found := s.bearers[token]
	s.mu.RUnlock()
	isReady := found && b.issued == nil && b.kind == kindClient && b.clientID == clientID
	if isReady {
		s.RevokeToken(token)
	}
	return isReady
}

// audience lists the resources that a token is for, always with the resource server.
type audience []string

// audience adds the resources that a client requested. A trailing slash of an origin is ignored.
func (s *Server) audience(resources []string) audience {
	whom := audience{s.resource}
	for _, resource := range resources {
		if resource = strings.TrimSuffix(resource, "/"); !slices.Contains(whom, resource) {
			whom = append(whom, resource)
		}
	}
	return whom
}

// MarshalJSON writes one audience as a string (RFC 7519, section 4.1.3).
func (a audience) MarshalJSON() ([]byte, error) {
	if len(a) == 1 {
		return json.Marshal(a[0])
	}
	return json.Marshal([]string(a))
}

// The kinds of tokens, the values of pdpp_token_kind.
const (
	kindClient  = "client"
	kindPackage = "mcp_package"
	kindOwner   = "owner"
)

// bearer is the access of a token.
type bearer struct {
	kind      string
	clientID  string
	grantID   string // client tokens
	packageID string // package tokens
	expiresAt time.Time
	revoked   bool
	audience  audience     // nil: the resource server alone
	issued    *flow.Issued // nil for ready tokens
}

func (b bearer) expired(now time.Time) bool {
	return !b.expiresAt.IsZero() && !now.Before(b.expiresAt)
}

// stableID derives an id from a name; it is the same in every run.
func stableID(prefix, name string) string {
	sum := sha256.Sum256([]byte(name))
	return prefix + hex.EncodeToString(sum[:8])
}
