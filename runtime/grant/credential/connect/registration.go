package connect

import (
	"context"
	"errors"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code" // RFC 8628

type registration struct {
	ClientName              string   `json:"client_name"`
	ApplicationType         string   `json:"application_type,omitempty"` // of a client with a redirect
	GrantTypes              []string `json:"grant_types,omitempty"`
	ResponseTypes           []string `json:"response_types,omitempty"`
	RedirectURIs            []string `json:"redirect_uris,omitempty"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
}

// CheckClientID returns an error of class Usage for an invalid URL of a client metadata document. An authorization
// server fetches it, so http is only for tests on one machine.
func CheckClientID(id string) error {
	if !namesDocument(id) {
		return nil
	}
	parsed, err := address.Parse(id)
	problem := ""
	switch {
	case err != nil:
		problem = err.Error()
	case parsed.Scheme != "https" && !address.IsLoopback(parsed.Hostname()):
		problem = "is not https"
	case strings.Trim(parsed.Path, "/") == "":
		problem = "has no path"
	default:
		return nil
	}
	return credential.Misused("the address in --client-id "+problem,
		"pass the address of a client metadata document, such as https://app.example/client.json", err)
}

// namesDocument reports whether a client id is meant as the address of a metadata document.
func namesDocument(id string) bool { return strings.Contains(id, "://") }

// client returns the client of the options, or registers one for this grant. Without a registration endpoint, the
// client has no id; if grant types are requested, that is an error.
func (s *signIn) client(ctx context.Context, asked registration) (credential.Client, error) {
	if namesDocument(s.ClientID) && !s.server.TakesDocuments {
		return credential.Client{}, credential.Misconfigured(
			s.server.Issuer+" does not support client metadata documents: its metadata lack client_id_metadata_document_supported",
			"omit --client-id, or pass the id of a known client", nil)
	}
	if s.ClientID != "" || s.server.Registration == "" && asked.GrantTypes == nil {
		return credential.Client{ClientID: s.ClientID, ClientName: s.ClientName, TokenEndpointAuthMethod: "none"}, nil
	}
	if s.server.Registration == "" {
		return credential.Client{}, credential.Misconfigured(s.server.Issuer+" does not register clients: its metadata have no registration_endpoint",
			"ask the provider's operator for a public client, and pass its id with --client-id", nil)
	}
	client, err := s.register(ctx, asked)
	var refused *refusal
	if asked.RedirectURIs == nil && asked.GrantTypes != nil && errors.As(err, &refused) && refused.code == codeInvalidMetadata {
		// RFC 7591 requires grant types of a client without a redirect. Some servers refuse them.
		asked.GrantTypes = nil
		return s.register(ctx, asked)
	}
	return client, err
}

func (s *signIn) register(ctx context.Context, asked registration) (credential.Client, error) {
	asked.ClientName, asked.TokenEndpointAuthMethod = s.ClientName, "none"
	answer, err := s.requester.postJSON(ctx, s.server.Registration, asked)
	var registered struct {
		ClientID   string `json:"client_id"`
		AuthMethod string `json:"token_endpoint_auth_method"`
	}
	if err := s.decodeSuccess(answer, err, &registered); err != nil {
		return credential.Client{}, err
	}
	if registered.ClientID == "" {
		return credential.Client{}, protocolError(answer.url, "registered a client without a client_id", nil)
	}
	if registered.AuthMethod != "" && registered.AuthMethod != asked.TokenEndpointAuthMethod {
		return credential.Client{}, protocolError(answer.url, "registered a client that needs a secret; only public clients are used here", nil)
	}
	return credential.Client{
		ClientID: registered.ClientID, ClientName: s.ClientName, TokenEndpointAuthMethod: asked.TokenEndpointAuthMethod,
	}, nil
}
