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
	if s.ClientID != "" || s.server.Registration == "" {
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
	answer, err := s.asker.postJSON(ctx, s.server.Registration, asked)
	var registered struct {
		ClientID   string `json:"client_id"`
		AuthMethod string `json:"token_endpoint_auth_method"`
	}
	if err := s.accepted(answer, err, &registered); err != nil {
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

// dataAccess is the type of PDPP's authorization details (RFC 9396).
const dataAccess = "https://pdpp.dev/data-access"

// everyStream stands for all streams of a source.
const everyStream = "*"

// authorizationDetail asks for streams of one source.
type authorizationDetail struct {
	Type               string   `json:"type"`
	Source             *source  `json:"source,omitempty"`
	AccessMode         string   `json:"access_mode"`
	PurposeCode        string   `json:"purpose_code"`
	PurposeDescription string   `json:"purpose_description"`
	Streams            []stream `json:"streams"`
}

type source struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

type stream struct {
	Name string `json:"name"`
}

// details asks for each source that the options name. Without one it leaves the source open.
func (s *signIn) details() []authorizationDetail {
	names := s.Streams
	if len(names) == 0 {
		names = []string{everyStream}
	}
	streams := make([]stream, len(names))
	for i, name := range names {
		streams[i] = stream{Name: name}
	}
	detail := authorizationDetail{
		Type: dataAccess, AccessMode: "continuous", PurposeCode: "https://pdpp.dev/purpose/personal_ai_assistant",
		PurposeDescription: "Answering the owner's questions through " + s.ClientName, Streams: streams,
	}
	if len(s.Sources) == 0 {
		return []authorizationDetail{detail}
	}
	details := make([]authorizationDetail, len(s.Sources))
	for i, id := range s.Sources {
		details[i] = detail
		details[i].Source = &source{Kind: "connector", ID: id}
	}
	return details
}

// namesAnything reports whether there is something to ask for in particular.
func (s *signIn) namesAnything() bool { return len(s.Sources) > 0 || len(s.Streams) > 0 }
