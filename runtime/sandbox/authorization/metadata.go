package authorization

import "net/http"

// Paths of the endpoints. MetadataPath is where RFC 8414 has the metadata of an issuer without a path.
const (
	IntrospectionPath = "/introspect"
	MetadataPath      = "/.well-known/oauth-authorization-server"
)

// serverMetadata names only what the Server serves.
type serverMetadata struct {
	Issuer                           string   `json:"issuer"`
	IntrospectionEndpoint            string   `json:"introspection_endpoint"`
	IntrospectionAuthMethods         []string `json:"introspection_endpoint_auth_methods_supported"`
	ResponseTypesSupported           []string `json:"response_types_supported"`
	AuthorizationDetailsTypes        []string `json:"authorization_details_types_supported"`
	PDPPAuthorizationDetailsTypes    []string `json:"pdpp_authorization_details_types_supported"`
	PDPPProviderConnectCapabilities  []string `json:"pdpp_provider_connect_capabilities"`
	PDPPRegistrationModes            []string `json:"pdpp_registration_modes_supported"`
	ClientIDMetadataDocumentsAllowed bool     `json:"client_id_metadata_document_supported"`
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, serverMetadata{
		Issuer:                          s.issuer,
		IntrospectionEndpoint:           s.issuer + IntrospectionPath,
		IntrospectionAuthMethods:        []string{"client_secret_basic"},
		ResponseTypesSupported:          []string{},
		AuthorizationDetailsTypes:       []string{detailsType},
		PDPPAuthorizationDetailsTypes:   []string{detailsType},
		PDPPProviderConnectCapabilities: []string{},
		PDPPRegistrationModes:           []string{},
	})
}
