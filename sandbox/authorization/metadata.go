package authorization

import (
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

// Paths of the endpoints. MetadataPath has the metadata of an issuer that is an origin (RFC 8414). AdapterPath is the
// second resource on the resource server's origin. Clients can request tokens for it.
const (
	IntrospectionPath = "/introspect"
	MetadataPath      = "/.well-known/oauth-authorization-server"
	AdapterPath       = "/mcp"
)

// serverMetadata names only what the Server serves.
type serverMetadata struct {
	Issuer                           string          `json:"issuer"`
	AuthorizationEndpoint            string          `json:"authorization_endpoint"`
	TokenEndpoint                    string          `json:"token_endpoint"`
	RegistrationEndpoint             string          `json:"registration_endpoint"`
	RevocationEndpoint               string          `json:"revocation_endpoint"`
	DeviceAuthorizationEndpoint      string          `json:"device_authorization_endpoint"`
	PushedAuthorizationEndpoint      string          `json:"pushed_authorization_request_endpoint"`
	IntrospectionEndpoint            string          `json:"introspection_endpoint"`
	AgentConnectEndpoint             string          `json:"agent_connect_endpoint"`
	TokenAuthMethods                 []string        `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods            []string        `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionAuthMethods         []string        `json:"introspection_endpoint_auth_methods_supported"`
	GrantTypesSupported              []string        `json:"grant_types_supported"`
	ResponseTypesSupported           []string        `json:"response_types_supported"`
	ResponseModesSupported           []string        `json:"response_modes_supported"`
	CodeChallengeMethodsSupported    []string        `json:"code_challenge_methods_supported"`
	ScopesSupported                  []string        `json:"scopes_supported,omitempty"`
	IssuerParameterSupported         bool            `json:"authorization_response_iss_parameter_supported,omitempty"`
	AuthorizationDetailsTypes        []string        `json:"authorization_details_types_supported"`
	PDPPAuthorizationDetailsTypes    []string        `json:"pdpp_authorization_details_types_supported"`
	PDPPProviderConnectCapabilities  []string        `json:"pdpp_provider_connect_capabilities"`
	PDPPRegistrationModes            []string        `json:"pdpp_registration_modes_supported"`
	PDPPDeviceProfiles               []deviceProfile `json:"pdpp_device_authorization_profiles_supported"`
	ClientIDMetadataDocumentsAllowed bool            `json:"client_id_metadata_document_supported"`
	PackageMembers                   bool            `json:"pdpp_package_members_supported,omitempty"`
}

// deviceProfile describes the result of a device authorization.
type deviceProfile struct {
	AuthorizationDetailsType string   `json:"authorization_details_type"`
	NormalMCPSetup           bool     `json:"normal_mcp_setup"`
	TokenKind                string   `json:"pdpp_token_kind"`
	Profile                  string   `json:"profile"`
	RequiredParameters       []string `json:"required_parameters"`
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	clientAuthMethods := []string{"none", "client_secret_basic", "client_secret_post"}
	registrationModes := []string{"dynamic"}
	if s.documents.Taken() {
		registrationModes = append(registrationModes, "client_id_metadata_document")
	}
	scopes := []string{flow.Scope}
	if s.strict {
		scopes = nil
	}
	respond.JSON(w, http.StatusOK, serverMetadata{
		Issuer:                          s.issuer,
		AuthorizationEndpoint:           s.issuer + flow.AuthorizePath,
		TokenEndpoint:                   s.issuer + flow.TokenPath,
		RegistrationEndpoint:            s.issuer + flow.RegistrationPath,
		RevocationEndpoint:              s.issuer + flow.RevocationPath,
		DeviceAuthorizationEndpoint:     s.issuer + flow.DeviceAuthorizationPath,
		PushedAuthorizationEndpoint:     s.issuer + flow.PushedPath,
		IntrospectionEndpoint:           s.issuer + IntrospectionPath,
		AgentConnectEndpoint:            s.issuer + flow.AgentConnectPath,
		TokenAuthMethods:                clientAuthMethods,
		RevocationAuthMethods:           clientAuthMethods,
		IntrospectionAuthMethods:        []string{"client_secret_basic"},
		GrantTypesSupported:             flow.GrantTypes(),
		ResponseTypesSupported:          []string{"code"},
		ResponseModesSupported:          []string{"query"},
		CodeChallengeMethodsSupported:   []string{"S256"},
		ScopesSupported:                 scopes,
		IssuerParameterSupported:        !s.strict,
		AuthorizationDetailsTypes:       []string{detailsType},
		PDPPAuthorizationDetailsTypes:   []string{detailsType},
		PDPPProviderConnectCapabilities: []string{"cli_device_connect", "third_party_client_connect"},
		PDPPRegistrationModes:           registrationModes,
		PDPPDeviceProfiles: []deviceProfile{{
			AuthorizationDetailsType: detailsType, NormalMCPSetup: true, TokenKind: kindClient,
			Profile: "grant_scoped_mcp", RequiredParameters: []string{"client_id"},
		}},
		ClientIDMetadataDocumentsAllowed: s.documents.Taken(),
		PackageMembers:                   !s.withoutMembers,
	})
}
