package doctor

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential/connect"
)

// checkResourceMetadata reads where the provider sends clients to be authorized (RFC 9728), as pdpp-mcp
// connect does.
func (e *examination) checkResourceMetadata(ctx context.Context) Finding {
	if e.exposed() {
		return note("", signInOverHTTPS)
	}
	look := curl(connect.MetadataURL(e.provider))
	inspection, err := connect.Inspect(e.provider, e.options.Transport)
	if err != nil {
		return fromMetadata(err, look)
	}
	issuer, err := inspection.Issuer(ctx)
	if err != nil {
		return fromMetadata(err, look)
	}
	e.inspection, e.issuer = inspection, issuer
	return ok("authorization server %s", issuer)
}

// signInOverHTTPS: pdpp-mcp connect has no exception for private networks, so there is nothing to examine.
const signInOverHTTPS = "not read: pdpp-mcp connect signs in over https only"

// checkAuthorizationServer reads how a client gets a credential (RFC 8414).
func (e *examination) checkAuthorizationServer(ctx context.Context) Finding {
	if e.inspection == nil {
		return note("", signInOverHTTPS)
	}
	look := curl(connect.MetadataURL(e.provider))
	if issuer, err := url.Parse(e.issuer); err == nil && issuer.Host != "" {
		look = curl(address.WellKnown(issuer, "oauth-authorization-server"))
	}
	flows, err := e.inspection.Flows(ctx)
	if err != nil {
		return fromMetadata(err, look)
	}
	return ok("%s", strings.Join(flows, ", "))
}

// fromMetadata is the failure of a document, and how to look at it.
func fromMetadata(err error, look string) Finding {
	if errors.Is(err, context.DeadlineExceeded) {
		return failed(credential.Unreachable, look, "there was no answer in time")
	}
	return fromError(err, look)
}
