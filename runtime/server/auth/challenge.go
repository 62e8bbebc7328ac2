package auth

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Challenge answers a request that is refused before it reaches MCP (R-HOST-2).
type Challenge struct {
	PublicOrigin string // scheme and host that clients see, without a slash at the end
	RequestID    string
	Scope        string // that clients should request; may be empty
}

// Write answers a request for an error of Bearer or Verify. Any other error becomes a 503, and its text is not shown.
func (c Challenge) Write(w http.ResponseWriter, err error) {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		refusal = unavailable(err)
	}
	var more []rawjson.Member
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Link", "<"+c.PublicOrigin+IconPath+`>; rel="icon"; type="image/svg+xml"`)
	if authenticate := c.Authenticate(refusal); authenticate != "" {
		header.Set("WWW-Authenticate", authenticate)
		more = append(more, rawjson.String("resource_metadata", c.resourceMetadata()))
	}
	if refusal.Status == http.StatusServiceUnavailable {
		SetRetryAfter(header, negativeLifetime)
	}
	w.WriteHeader(refusal.Status)
	_, _ = w.Write(ErrorBody(errorTypes[refusal.Status], refusal.Code, refusal.Message, c.RequestID, more...))
}

// ErrorBody returns the body of a refusal over HTTP (docs/interfaces.md, Hosted routes), a line of JSON. The members of
// more are appended.
func ErrorBody(kind, code, message, requestID string, more ...rawjson.Member) []byte {
	detail := rawjson.Object{
		rawjson.String("type", kind), rawjson.String("code", code), rawjson.String("message", message), rawjson.String("request_id", requestID),
	}
	return append(rawjson.Object{rawjson.Raw("error", append(detail, more...).Encode())}.Encode(), '\n')
}

// SetRetryAfter sets Retry-After in whole seconds, rounded up, unless it is 0.
func SetRetryAfter(header http.Header, wait time.Duration) {
	if wait > 0 {
		header.Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	}
}

// Authenticate returns the value of WWW-Authenticate for a 401 or 403 (RFC 6750, section 3; RFC 9728, section 5.1), or
// nothing.
func (c Challenge) Authenticate(refusal *Refusal) string {
	if refusal.Status != http.StatusUnauthorized && refusal.Status != http.StatusForbidden {
		return ""
	}
	value := "Bearer "
	if refusal.Challenge != "" {
		value += "error=" + quoted(refusal.Challenge) + ", "
	}
	value += "resource_metadata=" + quoted(c.resourceMetadata())
	if c.Scope != "" {
		value += ", scope=" + quoted(c.Scope)
	}
	return value
}

func (c Challenge) resourceMetadata() string { return c.PublicOrigin + MCPMetadataPath }

// quoted returns a quoted-string (RFC 9110, section 5.6.4), without control characters.
func quoted(text string) string {
	visible := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(visible) + `"`
}

// Paths below the public origin (docs/interfaces.md, Hosted routes).
const (
	MCPPath              = "/mcp"
	IconPath             = "/icon.svg"
	ResourceMetadataPath = "/.well-known/oauth-protected-resource"
	MCPMetadataPath      = ResourceMetadataPath + MCPPath // RFC 9728, section 3.1
)

// Scope is the one scope of a token that reads what was granted.
const Scope = "pdpp:read"

// Metadata returns the two protected-resource documents (RFC 9728, R-HOST-3).
type Metadata struct {
	PublicOrigin        string // scheme and host that clients see, without a slash at the end
	AuthorizationServer string // the issuer
	Scope               string // that clients should request; may be empty, since some servers refuse a client that names one
}

// Provider returns the document at ResourceMetadataPath. Its resource is the origin, read at /v1 with client tokens.
func (m Metadata) Provider() []byte {
	hints := rawjson.Object{rawjson.String("query_base", "/v1"), rawjson.String("schema_endpoint", "/v1/schema")} // below the resource
	return m.document(m.PublicOrigin, "PDPP resource server", []string{rs.KindClient}, rawjson.Raw("pdpp_discovery_hints", hints.Encode()))
}

// MCP returns the document at MCPMetadataPath. Its resource is the MCP endpoint. It has no logo_uri.
func (m Metadata) MCP() []byte {
	return m.document(m.PublicOrigin+MCPPath, "PDPP hosted MCP resource", []string{rs.KindClient, rs.KindPackage})
}

func (m Metadata) document(resource, name string, kinds []string, further ...rawjson.Member) []byte {
	endpoint := rawjson.Object{
		rawjson.String("endpoint", m.PublicOrigin+MCPPath),
		rawjson.String("resource_metadata", m.PublicOrigin+MCPMetadataPath),
		rawjson.Bool("no_owner_token", true),
		rawjson.String("setup_intent", "grant_scoped_read"),
		rawjson.String("transport", "streamable_http"),
	}
	discovery := rawjson.Object{rawjson.Bool("advisory", true), rawjson.Raw("mcp", endpoint.Encode())}
	document := rawjson.Object{
		rawjson.String("resource", resource),
		rawjson.String("resource_name", name),
		rawjson.Strings("authorization_servers", []string{m.AuthorizationServer}),
		rawjson.Strings("bearer_methods_supported", []string{"header"}),
		rawjson.Strings("pdpp_token_kinds_supported", kinds),
		rawjson.String("pdpp_core_query_base", m.PublicOrigin+"/v1"),
	}
	if m.Scope != "" {
		document = append(document, rawjson.Strings("scopes_supported", []string{m.Scope}))
	}
	document = append(append(document, further...), rawjson.Raw("pdpp_agent_discovery", discovery.Encode()))
	return append(document.Encode(), '\n')
}
