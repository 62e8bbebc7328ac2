package resource

import (
	"net/http"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// The kinds of bearer in catalog.Access.
const (
	clientKind  = "client"
	packageKind = "mcp_package"
	ownerKind   = "owner"
)

// authenticate returns what the request's bearer may read. It refuses a bearer without a usable grant.
func (s *server) authenticate(r *http.Request) (catalog.Access, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return catalog.Access{}, s.unauthenticated("authentication_error", "Missing Bearer token")
	}
	access, active := s.access(token)
	if !active {
		return catalog.Access{}, s.failedClosed("context.active_false")
	}
	switch access.Kind {
	case ownerKind:
		return access, nil
	case packageKind:
		if strings.HasPrefix(r.URL.Path, subscriptionsPath) {
			return catalog.Access{}, forbidden("grant_invalid",
				"event subscription requires an active client grant or a registered trusted owner-agent bearer")
		}
		// A package bundles grants for an adapter. It is not a source of records itself.
		return catalog.Access{}, notFound("not_found", "Unknown source: unknown")
	case clientKind:
		return access, s.checkGrants(access.Grants)
	}
	return catalog.Access{}, s.failedClosed("context.active_false")
}

func (s *server) checkGrants(grants []catalog.Grant) error {
	if len(grants) == 0 {
		return s.failedClosed("context.active_false")
	}
	for _, grant := range grants {
		if grant.Revoked {
			return forbidden("grant_revoked", "Grant has been revoked")
		}
		if !grant.ExpiresAt.IsZero() && !time.Now().Before(grant.ExpiresAt) {
			return forbidden("grant_expired", "Grant has expired")
		}
	}
	return nil
}

// failedClosed refuses a bearer that is inactive, or active for another resource.
func (s *server) failedClosed(code string) *problem {
	return s.unauthenticated(code, "Token introspection failed closed")
}

func (s *server) unauthenticated(code, message string) *problem {
	return &problem{
		status: http.StatusUnauthorized, code: code, message: message,
		resourceMetadata: s.metadataURL,
		nextStep: "Fetch error.resource_metadata, then follow pdpp_agent_discovery.cli when token completion is available; " +
			"otherwise request a scoped client grant without using an owner bearer token.",
	}
}
