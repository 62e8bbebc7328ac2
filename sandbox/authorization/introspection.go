package authorization

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"time"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
)

// subjectID identifies the owner of all data in the sandbox.
const subjectID = "owner_local"

// declarationVersion is the version of the sandbox's source declarations.
const declarationVersion = "pdpp-sandbox.v1"

// maxFormBytes bounds the introspection request's body.
const maxFormBytes = 16 << 10

// introspection is an answer of RFC 7662 with PDPP's members.
type introspection struct {
	Active               bool                  `json:"active"`
	InactiveReason       string                `json:"inactive_reason,omitempty"`
	TokenKind            string                `json:"pdpp_token_kind,omitempty"`
	SubjectID            string                `json:"subject_id,omitempty"`
	ExpiresAt            int64                 `json:"exp,omitempty"` // seconds since 1970
	GrantID              string                `json:"grant_id,omitempty"`
	GrantPackageID       string                `json:"grant_package_id,omitempty"`
	ClientID             string                `json:"client_id,omitempty"`
	GrantStorageBinding  *storageBinding       `json:"grant_storage_binding,omitempty"`
	Package              *publishedPackage     `json:"package,omitempty"`
	AuthorizationDetails []authorizationDetail `json:"authorization_details,omitempty"`
	PDPP                 *grantContext         `json:"pdpp,omitempty"`
	Audience             audience              `json:"aud"`
	Issuer               string                `json:"iss"`
}

type storageBinding struct {
	ConnectorID string `json:"connector_id"`
}

type publishedPackage struct {
	ApprovedSourceCount      int             `json:"approved_source_count"`
	Client                   publishedClient `json:"client"`
	PackageID                string          `json:"package_id"`
	SourceBoundedChildGrants bool            `json:"source_bounded_child_grants"`
	Subject                  subject         `json:"subject"`
	Version                  string          `json:"version"`
	Members                  []Member        `json:"members,omitzero"`
}

type publishedClient struct {
	ClientDisplay    clientDisplay `json:"client_display"`
	ClientID         string        `json:"client_id"`
	RegistrationMode string        `json:"registration_mode"`
}

type clientDisplay struct {
	LogoURI   *string `json:"logo_uri"`
	Name      string  `json:"name"`
	PolicyURI *string `json:"policy_uri"`
	TosURI    *string `json:"tos_uri"`
	URI       *string `json:"uri"`
}

type subject struct {
	ID string `json:"id"`
}

// grantContext repeats in PDPP's terms whose grant it is.
type grantContext struct {
	ClientID    string             `json:"client_id"`
	ContextKind string             `json:"context_kind"`
	GrantID     string             `json:"grant_id"`
	IssuedAt    string             `json:"issued_at"`
	Source      *source            `json:"source,omitempty"` // absent when the grant spans connectors
	Declaration *sourceDeclaration `json:"source_declaration,omitempty"`
	SubjectID   string             `json:"subject_id"`
}

type sourceDeclaration struct {
	Version string `json:"version"`
}

// introspect answers POST /introspect. Only the confidential client may call it, so the answer may always contain
// the tokens of package members.
func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	if !s.isCaller(r) {
		w.Header().Set("WWW-Authenticate", `Basic realm="introspection"`)
		respond.Error(w, http.StatusUnauthorized, "context.authentication_failed",
			"Introspection client authentication failed")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	token := r.PostFormValue("token")
	if token == "" {
		respond.Error(w, http.StatusBadRequest, "invalid_request", "Missing token parameter")
		return
	}
	respond.JSON(w, http.StatusOK, s.describe(token))
}

// isCaller reports whether the request has the caller's credentials. It compares hashes of equal length in constant
// time.
func (s *Server) isCaller(r *http.Request) bool {
	id, secret, given := r.BasicAuth()
	if !given {
		return false
	}
	got, want := sha256.Sum256([]byte(id+":"+secret)), sha256.Sum256([]byte(s.caller.ID+":"+s.caller.Secret))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

func (s *Server) describe(token string) introspection {
	s.mu.RLock()
	defer s.mu.RUnlock()
	answer := introspection{Audience: s.audience(nil), Issuer: s.issuer}
	b, found := s.bearers[token]
	if !found {
		return answer
	}
	if b.audience != nil {
		answer.Audience = b.audience
	}
	answer.SubjectID, answer.ClientID = subjectID, b.clientID
	answer.GrantID, answer.GrantPackageID = b.grantID, b.packageID
	if answer.InactiveReason = s.inactiveReason(b); answer.InactiveReason != "" {
		return answer
	}
	answer.Active, answer.TokenKind = true, b.kind
	if !b.expiresAt.IsZero() {
		answer.ExpiresAt = b.expiresAt.Unix()
	}
	switch b.kind {
	case kindClient:
		s.describeGrant(&answer, s.grants[b.grantID])
	case kindPackage:
		s.describePackage(&answer, s.packages[b.packageID])
	}
	return answer
}

// inactiveReason returns why a token is inactive, or an empty string for an active one.
func (s *Server) inactiveReason(b bearer) string {
	if b.expired(s.clock()) {
		return "grant_expired"
	}
	switch {
	case b.revoked && b.kind == kindClient:
		return "grant_revoked"
	case b.revoked || b.packageID != "" && s.packages[b.packageID].revoked:
		return "token_revoked"
	}
	if b.grantID != "" {
		g := s.grants[b.grantID]
		if status := grantStatus(g.Revoked, g.ExpiresAt, s.clock()); status != "active" {
			return "grant_" + status
		}
	}
	return ""
}

func (s *Server) describeGrant(answer *introspection, g catalog.Grant) {
	if !g.ExpiresAt.IsZero() {
		answer.ExpiresAt = g.ExpiresAt.Unix()
	}
	answer.PDPP = &grantContext{
		ClientID: g.ClientID, ContextKind: "oauth_rar_0_1", GrantID: g.ID,
		IssuedAt: s.issuedAt(g.ID), SubjectID: subjectID,
	}
	if g.ConnectorKey != "" {
		answer.GrantStorageBinding = &storageBinding{ConnectorID: g.ConnectorKey}
		answer.PDPP.Source = s.source(g.ConnectorKey)
		answer.PDPP.Declaration = &sourceDeclaration{Version: declarationVersion}
	}
	answer.AuthorizationDetails = s.authorizationDetails(g)
}

func (s *Server) describePackage(answer *introspection, p grantPackage) {
	answer.Package = &publishedPackage{
		ApprovedSourceCount: len(p.members),
		Client: publishedClient{
			ClientDisplay: clientDisplay{Name: p.clientName}, ClientID: p.clientID, RegistrationMode: "dynamic",
		},
		PackageID:                p.id,
		SourceBoundedChildGrants: true,
		Subject:                  subject{ID: subjectID},
		Version:                  "pdpp-sandbox.mcp_package.v1",
	}
	if !s.withoutMembers {
		answer.Package.Members = s.members(p)
	}
}

// issuedAt returns when the owner approved a grant. Ready grants are as old as the Server.
func (s *Server) issuedAt(grantID string) string {
	at, approved := s.approvedAt[grantID]
	if !approved {
		at = s.started
	}
	return at.UTC().Format(time.RFC3339Nano)
}
