package auth

// Scope is the one scope of a token that reads what was granted.
const Scope = "pdpp:read"

// Metadata makes the two protected-resource documents (RFC 9728, R-HOST-3). Member names beyond the RFC are
// those of other PDPP providers. The documents differ by nothing but the two values here, so they can be
// made once for each public origin.
type Metadata struct {
	PublicOrigin        string // scheme and host that clients see, without a slash at the end
	AuthorizationServer string // the issuer
}

// resourceDocument holds the members in the order in which they are written.
type resourceDocument struct {
	Resource             string          `json:"resource"`
	ResourceName         string          `json:"resource_name"`
	AuthorizationServers []string        `json:"authorization_servers"`
	BearerMethods        []string        `json:"bearer_methods_supported"`
	Scopes               []string        `json:"scopes_supported"`
	TokenKinds           []string        `json:"pdpp_token_kinds_supported"`
	CoreQueryBase        string          `json:"pdpp_core_query_base"`
	DiscoveryHints       *discoveryHints `json:"pdpp_discovery_hints,omitempty"`
	AgentDiscovery       agentDiscovery  `json:"pdpp_agent_discovery"`
}

// discoveryHints are paths below the resource.
type discoveryHints struct {
	QueryBase      string `json:"query_base"`
	SchemaEndpoint string `json:"schema_endpoint"`
}

type agentDiscovery struct {
	Advisory bool    `json:"advisory"`
	MCP      mcpHint `json:"mcp"`
}

type mcpHint struct {
	Endpoint         string `json:"endpoint"`
	ResourceMetadata string `json:"resource_metadata"`
	NoOwnerToken     bool   `json:"no_owner_token"`
	SetupIntent      string `json:"setup_intent"`
	Transport        string `json:"transport"`
}

// Provider is the document at ResourceMetadataPath: the resource is the origin, read at /v1 with client
// tokens, and the MCP endpoint is hinted at.
func (m Metadata) Provider() []byte {
	document := m.document(m.PublicOrigin, "PDPP resource server", KindClient)
	document.DiscoveryHints = &discoveryHints{QueryBase: "/v1", SchemaEndpoint: "/v1/schema"}
	return encode(document)
}

// MCP is the document at MCPMetadataPath: the resource is the MCP endpoint, for which client and package
// tokens are issued. It has no logo_uri.
func (m Metadata) MCP() []byte {
	return encode(m.document(m.PublicOrigin+MCPPath, "PDPP hosted MCP resource", KindClient, KindPackage))
}

func (m Metadata) document(resource, name string, kinds ...Kind) resourceDocument {
	document := resourceDocument{
		Resource:             resource,
		ResourceName:         name,
		AuthorizationServers: []string{m.AuthorizationServer},
		BearerMethods:        []string{"header"},
		Scopes:               []string{Scope},
		CoreQueryBase:        m.PublicOrigin + "/v1",
		AgentDiscovery: agentDiscovery{Advisory: true, MCP: mcpHint{
			Endpoint:         m.PublicOrigin + MCPPath,
			ResourceMetadata: m.PublicOrigin + MCPMetadataPath,
			NoOwnerToken:     true,
			SetupIntent:      "grant_scoped_read",
			Transport:        "streamable_http",
		}},
	}
	for _, kind := range kinds {
		document.TokenKinds = append(document.TokenKinds, string(kind))
	}
	return document
}
