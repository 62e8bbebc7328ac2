package authorization

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
)

// keeper lets flows see of a Server what they need, and keeps it out of everyone else's sight.
type keeper struct{ *Server }

// Issue makes a token of a flow work here and at the resource server.
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

// Issued finds a token that Issue made. The ready tokens are none of them.
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

// audience is whom a token is for. It always names the resource server.
type audience []string

// audience adds the resources that a client asked for. A slash at the end of an origin means nothing.
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
