package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// address returns the introspection endpoint: the configured one, or the one in the issuer's metadata. The metadata is read once. Concurrent
// callers share the request, which continues if one of them is cancelled.
func (v *Verifier) address(ctx context.Context) (string, error) {
	if v.endpoint.Load() == nil {
		_, err, _ := v.reading.Do("metadata", func() (any, error) {
			if v.endpoint.Load() != nil {
				return nil, nil
			}
			found, err := v.discover(context.WithoutCancel(ctx))
			if err == nil {
				v.endpoint.Store(&found)
			}
			return nil, err
		})
		if err != nil {
			return "", err
		}
	}
	return *v.endpoint.Load(), nil
}

// discover reads the metadata (RFC 8414, section 3).
func (v *Verifier) discover(ctx context.Context) (string, error) {
	issuer, _ := url.Parse(strings.TrimRight(v.options.AuthorizationServer, "/")) // NewVerifier has checked it
	document := address.WellKnown(issuer, "oauth-authorization-server")
	failed := func(message string, cause error) error {
		return &ServerError{URL: document, Message: message, Cause: cause}
	}
	metadata, err := v.exchange(ctx, http.MethodGet, document, "", maxMetadata)
	if err != nil {
		return "", err
	}
	members := &rawjson.Reader{Object: metadata}
	named, found := members.Text("issuer"), members.Text("introspection_endpoint")
	switch {
	case members.Err != nil:
		return "", failed("its metadata is invalid", members.Err)
	case canonical(named) != address.Canonical(issuer): // refused by RFC 8414, section 3.3
		return "", failed("its metadata names another issuer; configure the issuer as the metadata spells it, or the introspection URL", nil)
	case found == "":
		return "", failed("its metadata names no introspection_endpoint; configure the introspection URL", nil)
	}
	if err := checkURL("introspection_endpoint", found); err != nil {
		return "", failed("its metadata is invalid", err)
	}
	if strings.HasPrefix(document, "https:") && !strings.HasPrefix(strings.ToLower(found), "https:") {
		return "", failed("its metadata is invalid", errUnencrypted)
	}
	return found, nil
}

// errUnencrypted is the error of an endpoint that would receive credentials without TLS.
var errUnencrypted = errors.New("the introspection_endpoint of an https issuer must be https")
