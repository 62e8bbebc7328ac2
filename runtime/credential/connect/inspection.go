package connect

import (
	"context"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Inspection reads what a sign-in would be built on, one document after the other, and signs in nowhere. What it
// accepts, Connect accepts, and what it refuses, Connect refuses with the same error. Its methods are called in
// their order; it is not safe for concurrent use.
type Inspection struct {
	provider string
	asker    *asker
	resource *resourceMetadata
}

// Inspect checks the provider's URL and sends nothing. A nil transport is one of its own, made by
// rs.NewTransport.
func Inspect(providerURL string, transport http.RoundTripper) (*Inspection, error) {
	provider, within, err := reachOf(providerURL)
	if err != nil {
		return nil, err
	}
	if transport == nil {
		transport = rs.NewTransport()
	}
	return &Inspection{provider: provider, asker: newAsker(transport, within)}, nil
}

// Issuer reads the provider's metadata (RFC 9728) and gives the authorization server that a sign-in would use.
func (i *Inspection) Issuer(ctx context.Context) (string, error) {
	resource, err := i.asker.resource(ctx, i.provider)
	if err != nil {
		return "", err
	}
	i.resource = resource
	return resource.AuthorizationServers[0], nil
}

// Flows reads the metadata of the authorization server (RFC 8414) and gives the ways to sign in, at least one of
// "agent connect" and "device authorization", in the order in which Connect tries them. Issuer must have
// succeeded.
func (i *Inspection) Flows(ctx context.Context) ([]string, error) {
	server, err := i.asker.serverOf(ctx, i.provider, i.resource)
	if err != nil {
		return nil, err
	}
	var flows []string
	if server.agentConnect != "" {
		flows = append(flows, "agent connect")
	}
	if server.deviceAuthorization != "" {
		flows = append(flows, "device authorization")
	}
	return flows, nil
}
