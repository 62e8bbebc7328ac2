package connect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// MetadataURL returns the URL of a provider's metadata (docs/provider-contract.md, Requests; RFC 9728). The provider's
// URL has no trailing slash.
func MetadataURL(provider string) string { return provider + "/.well-known/oauth-protected-resource" }

// noProvider explains an address without a provider's metadata: it may belong to an authorization server, or be a page
// of the provider. The error names the provider's own address if that can be found.
func (r *requester) noProvider(ctx context.Context, cause *refusal) error {
	failure := credential.Misconfigured(r.provider+" is not a PDPP provider: it has no metadata: "+cause.reason(), "pass the address of a PDPP resource server", cause)
	found := ""
	if server, err := r.authorizationServer(ctx, r.provider); err == nil {
		failure.Message = r.provider + " is an authorization server, not a provider: it has no provider metadata: " + cause.reason()
		failure.NextStep = "ask the provider's operator for its address, and pass that"
		for _, named := range server.ProtectedResources {
			found = cmp.Or(found, r.knownProvider(ctx, named))
		}
	}
	origin, _ := url.Parse(r.provider) // newRequester parsed it
	if origin.Path != "" {
		origin.Path, origin.RawPath = "", ""
		found = cmp.Or(found, r.knownProvider(ctx, origin.String()))
	}
	if found != "" {
		failure.NextStep, failure.Provider = "pass "+found, found
	}
	return failure
}

func (r *requester) knownProvider(ctx context.Context, named string) string {
	var described resourceMetadata
	if _, err := r.admit("resource", named); err != nil {
		return ""
	}
	provider, err := credential.ParseProviderURL(named)
	if err != nil || r.metadata(ctx, MetadataURL(provider), &described) != nil || described.Resource != provider {
		return ""
	}
	return provider
}

// server reads the metadata of the resource's first authorization server. It returns an error if that server offers no
// sign-in.
func (i *Inspection) server(ctx context.Context) (*authorizationServer, error) {
	server, err := i.requester.authorizationServer(ctx, i.Issuer)
	if err != nil {
		return nil, err
	}
	server.resource = cmp.Or(i.resource.Resource, i.requester.provider)
	server.AgentConnectEndpoint = cmp.Or(server.agentConnectEndpoint(), i.resource.agentConnectEndpoint())
	if err := i.requester.endpoint("agent_connect_endpoint", &server.AgentConnectEndpoint); err != nil {
		return nil, err
	}
	if len(server.flows()) == 0 {
		return nil, credential.Misconfigured(server.Issuer+" offers no sign-in: its metadata have neither agent_connect_endpoint nor "+
			"device_authorization_endpoint or authorization_endpoint with token_endpoint",
			"ask the provider's operator for one of them, or for a scoped token to pass with --access-token-file", nil)
	}
	return server, nil
}

// resourceMetadata is the RFC 9728 document with PDPP's additions.
type resourceMetadata struct {
	agentDiscovery

	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
}

type agentDiscovery struct {
	AgentConnectEndpoint string          `json:"agent_connect_endpoint"`
	Discovery            json.RawMessage `json:"pdpp_agent_discovery"`
}

func (d agentDiscovery) agentConnectEndpoint() string {
	nested, _ := rawjson.ParseObject(d.Discovery) // its other members may have any shape
	return cmp.Or(d.AgentConnectEndpoint, nested.Text("agent_connect_endpoint"))
}

// authorizationServer is the RFC 8414 document with PDPP's additions. Missing endpoints are empty.
type authorizationServer struct {
	agentDiscovery

	Issuer              string          `json:"issuer"`
	Authorization       string          `json:"authorization_endpoint"`
	DeviceAuthorization string          `json:"device_authorization_endpoint"`
	Token               string          `json:"token_endpoint"`
	Registration        string          `json:"registration_endpoint"`
	PushedAuthorization string          `json:"pushed_authorization_request_endpoint"`
	Revocation          string          `json:"revocation_endpoint"`
	DeviceProfiles      []deviceProfile `json:"pdpp_device_authorization_profiles_supported"`
	NamesItself         bool            `json:"authorization_response_iss_parameter_supported"` // RFC 9207
	TakesDocuments      bool            `json:"client_id_metadata_document_supported"`
	ProtectedResources  []string        `json:"protected_resources"` // RFC 9728, section 4

	resource string // the token is requested for it (RFC 8707)
}

type deviceProfile struct {
	TokenKind          string   `json:"pdpp_token_kind"`
	RequiredParameters []string `json:"required_parameters"`
}

// authorizationServer reads the metadata of an issuer. It does not admit the endpoint of agent connect.
func (r *requester) authorizationServer(ctx context.Context, issuer string) (*authorizationServer, error) {
	admitted, err := r.admit("authorization server", issuer)
	if err != nil {
		return nil, err
	}
	document := address.WellKnown(admitted, "oauth-authorization-server")
	var server authorizationServer
	if err := r.metadata(ctx, document, &server); err != nil {
		return nil, err
	}
	// RFC 8414, section 3.3: otherwise one server could impersonate another.
	if withoutSlash(server.Issuer) != withoutSlash(issuer) {
		return nil, protocolError(document, "belongs to another issuer: "+printable(server.Issuer), nil)
	}
	for _, endpoint := range []struct {
		name  string
		named *string
	}{
		{"authorization_endpoint", &server.Authorization},
		{"device_authorization_endpoint", &server.DeviceAuthorization},
		{"token_endpoint", &server.Token},
		{"registration_endpoint", &server.Registration},
		{"pushed_authorization_request_endpoint", &server.PushedAuthorization},
		{"revocation_endpoint", &server.Revocation},
	} {
		if err := r.endpoint(endpoint.name, endpoint.named); err != nil {
			return nil, err
		}
	}
	return &server, nil
}

// withoutSlash removes the slash of an empty path: https://as.example/ and https://as.example are one origin.
func withoutSlash(issuer string) string {
	if origin, hasSlash := strings.CutSuffix(issuer, "/"); hasSlash && strings.Count(origin, "/") == len("//") {
		return origin
	}
	return issuer
}

// ownerChooses reports whether a device authorization may omit authorization_details.
func (s *authorizationServer) ownerChooses() bool {
	return slices.ContainsFunc(s.DeviceProfiles, func(profile deviceProfile) bool {
		return profile.TokenKind == rs.KindClient && !slices.Contains(profile.RequiredParameters, "authorization_details")
	})
}

func (r *requester) metadata(ctx context.Context, document string, into any) error {
	answer, err := r.ask(ctx, http.MethodGet, document, "", nil)
	if err != nil {
		return err
	}
	if answer.status != http.StatusOK {
		refused := answer.refused()
		return protocolError(document, "has no metadata: "+refused.reason(), refused)
	}
	return answer.decode(into)
}

func (s *authorizationServer) flows() []Flow {
	return slices.DeleteFunc(Flows(), func(flow Flow) bool {
		switch flow {
		case AgentConnect:
			return s.AgentConnectEndpoint == ""
		case DeviceAuthorization:
			return s.DeviceAuthorization == "" || s.Token == ""
		}
		return s.Authorization == "" || s.Token == ""
	})
}

// Inspection reads the metadata for a sign-in without signing in. It returns the same errors as Connect.
type Inspection struct {
	Issuer string // of the authorization server

	requester *requester
	resource  *resourceMetadata
}

// Inspect checks the provider's URL and reads its metadata (RFC 9728). A nil transport means rs.NewTransport.
func Inspect(ctx context.Context, providerURL string, transport http.RoundTripper) (*Inspection, error) {
	requester, err := newRequester(providerURL, transport)
	if err != nil {
		return nil, err
	}
	var resource resourceMetadata
	if err := requester.metadata(ctx, MetadataURL(requester.provider), &resource); err != nil {
		if refused, ok := errors.AsType[*refusal](err); ok && refused.status == http.StatusNotFound {
			return nil, requester.noProvider(ctx, refused)
		}
		return nil, err
	}
	if len(resource.AuthorizationServers) == 0 {
		return nil, protocolError(requester.provider, "names no authorization server in its metadata", nil)
	}
	// Otherwise a provider could make the owner approve access to another resource, and get its token (RFC 9728, section
	// 3.3).
	if named, err := credential.ParseProviderURL(resource.Resource); resource.Resource != "" && (err != nil || named != requester.provider) {
		return nil, protocolError(requester.provider, "describes another resource in its metadata: "+printable(resource.Resource), err)
	}
	return &Inspection{resource.AuthorizationServers[0], requester, &resource}, nil
}

// Flows reads the metadata of the authorization server (RFC 8414). It returns the offered flows in order of preference.
func (i *Inspection) Flows(ctx context.Context) ([]Flow, error) {
	server, err := i.server(ctx)
	if err != nil {
		return nil, err
	}
	return server.flows(), nil
}
