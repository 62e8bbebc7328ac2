package auth

import "github.com/pdppmcp/pdpp-mcp/runtime/rawjson"

// Paths below the public origin (interfaces.md, Hosted routes).
const (
	MCPPath              = "/mcp"
	IconPath             = "/icon.svg"
	ResourceMetadataPath = "/.well-known/oauth-protected-resource"
	MCPMetadataPath      = ResourceMetadataPath + MCPPath // RFC 9728, section 3.1
)

// Scope is the one scope of a token that reads what was granted.
const Scope = "pdpp:read"

// Metadata returns the two protected-resource documents (RFC 9728, R-HOST-3). Members beyond the RFC are those of other PDPP
// providers.
type Metadata struct {
	PublicOrigin        string // scheme and host that clients see, without a slash at the end
	AuthorizationServer string // the issuer
}

// Provider returns the document at ResourceMetadataPath. Its resource is the origin, read at /v1 with client tokens.
func (m Metadata) Provider() []byte {
	hints := rawjson.Object{rawjson.String("query_base", "/v1"), rawjson.String("schema_endpoint", "/v1/schema")} // below the resource
	return m.document(m.PublicOrigin, "PDPP resource server", []string{string(KindClient)}, rawjson.Raw("pdpp_discovery_hints", hints.Encode()))
}

// MCP returns the document at MCPMetadataPath. Its resource is the MCP endpoint. It has no logo_uri.
func (m Metadata) MCP() []byte {
	return m.document(m.PublicOrigin+MCPPath, "PDPP hosted MCP resource", []string{string(KindClient), string(KindPackage)})
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
		rawjson.Strings("scopes_supported", []string{Scope}),
		rawjson.Strings("pdpp_token_kinds_supported", kinds),
		rawjson.String("pdpp_core_query_base", m.PublicOrigin+"/v1"),
	}
	document = append(append(document, further...), rawjson.Raw("pdpp_agent_discovery", discovery.Encode()))
	return append(document.Encode(), '\n')
}
