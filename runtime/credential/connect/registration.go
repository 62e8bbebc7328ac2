package connect

import (
	"context"
	"errors"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// deviceGrant is the grant type of RFC 8628.
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// registration is the metadata of a public client (RFC 7591).
type registration struct {
	ClientName              string   `json:"client_name"`
	GrantTypes              []string `json:"grant_types,omitempty"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
}

// client gives the client that asks: the one of the options, or a new one for this grant, which can then be
// revoked without harm to others. Without a registration endpoint it has no id.
func (s *signIn) client(ctx context.Context, grantTypes ...string) (credential.Client, error) {
	asked := registration{ClientName: s.ClientName, GrantTypes: grantTypes, TokenEndpointAuthMethod: "none"}
	if s.ClientID != "" || s.server.registration == "" {
		return credential.Client{ClientID: s.ClientID, ClientName: s.ClientName, TokenEndpointAuthMethod: "none"}, nil
	}
	client, err := s.register(ctx, asked)
	var refused *refusal
	if len(grantTypes) > 0 && errors.As(err, &refused) && refused.code == codeInvalidMetadata {
		// Grant types are what RFC 7591 wants of a client that redirects nowhere; not every server knows that.
		asked.GrantTypes = nil
		return s.register(ctx, asked)
	}
	return client, err
}

func (s *signIn) register(ctx context.Context, asked registration) (credential.Client, error) {
	answer, err := s.asker.postJSON(ctx, s.server.registration, asked)
	if err != nil {
		return credential.Client{}, err
	}
	if !answer.isSuccess() {
		return credential.Client{}, s.failed(answer.refused())
	}
	var registered struct {
		ClientID   string `json:"client_id"`
		AuthMethod string `json:"token_endpoint_auth_method"`
	}
	if err := answer.decode(&registered); err != nil {
		return credential.Client{}, err
	}
	if registered.ClientID == "" {
		return credential.Client{}, unfit(answer.from, "registered a client without a client_id", nil)
	}
	if registered.AuthMethod != "" && registered.AuthMethod != asked.TokenEndpointAuthMethod {
		return credential.Client{}, unfit(answer.from, "registered a client that needs a secret; only public clients are used here", nil)
	}
	return credential.Client{
		ClientID: registered.ClientID, ClientName: s.ClientName, TokenEndpointAuthMethod: asked.TokenEndpointAuthMethod,
	}, nil
}
