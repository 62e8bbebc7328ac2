package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/singleflight"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// endpoint is the introspection endpoint: configured, or found in the issuer's metadata and then kept for
// as long as the process runs. It is safe for concurrent use.
type endpoint struct {
	server  *server
	issuer  string
	known   atomic.Pointer[string]
	reading singleflight.Group
}

func newEndpoint(server *server, issuer, configured string) *endpoint {
	e := &endpoint{server: server, issuer: strings.TrimRight(issuer, "/")}
	if configured != "" {
		e.known.Store(&configured)
	}
	return e
}

// address gives the endpoint. Callers that come at the same time share one reading; only a reading that
// succeeded is kept. It goes on when one of them is cancelled.
func (e *endpoint) address(ctx context.Context) (string, error) {
	if known := e.known.Load(); known != nil {
		return *known, nil
	}
	found, err, _ := e.reading.Do("metadata", func() (any, error) {
		if known := e.known.Load(); known != nil {
			return *known, nil
		}
		found, err := e.discover(context.WithoutCancel(ctx))
		if err != nil {
			return "", err
		}
		e.known.Store(&found)
		return found, nil
	})
	if err != nil {
		return "", err
	}
	return found.(string), nil
}

// discover reads the metadata (RFC 8414, section 3).
func (e *endpoint) discover(ctx context.Context) (string, error) {
	issuer, _ := url.Parse(e.issuer) // NewVerifier has judged it
	document := address.WellKnown(issuer, "oauth-authorization-server")
	failed := func(message string, cause error) error {
		return &ServerError{URL: document, Message: message, Cause: cause}
	}
	metadata, err := e.server.exchange(ctx, http.MethodGet, document, "", maxMetadata)
	if err != nil {
		return "", err
	}
	members := &rawjson.Reader{Object: metadata}
	named, found := members.Text("issuer"), members.Text("introspection_endpoint")
	switch {
	case members.Err != nil:
		return "", failed("its metadata cannot be used", members.Err)
	case canonical(named) != canonical(e.issuer): // RFC 8414, section 3.3: it must not be used
		return "", failed("its metadata is of another issuer; configure the issuer as the metadata spells it, or the introspection URL", nil)
	case found == "":
		return "", failed("its metadata names no introspection_endpoint; configure the introspection URL", nil)
	}
	if err := checkURL("introspection_endpoint", found); err != nil {
		return "", failed("its metadata cannot be used", err)
	}
	if strings.HasPrefix(document, "https:") && !strings.HasPrefix(strings.ToLower(found), "https:") {
		return "", failed("its metadata cannot be used", errUnencrypted)
	}
	return found, nil
}

// errUnencrypted keeps credentials from leaving TLS because of a document.
var errUnencrypted = errors.New("the introspection_endpoint of an https issuer must be https")
