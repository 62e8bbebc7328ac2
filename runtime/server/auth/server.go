package auth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Limits of bodies, in bytes. An introspection of a package repeats every member with its streams and authorization
// details.
const (
	maxIntrospection = 1 << 20
	maxMetadata      = 256 << 10
)

// serverError returns the error of an unusable answer. The cause says what happened and what to check. It holds nothing
// of a body, which may repeat a token.
func serverError(address string, cause error) error {
	return fmt.Errorf("authorization server, %s: %w", address, cause)
}

// exchange sends one request and reads one JSON object within the timeout. A request with a form has credentials. It
// uses the transport directly, because an http.Client would follow redirects with the token and the credentials.
func (v *Verifier) exchange(ctx context.Context, method, address, form string, limit int64) (rawjson.Object, error) {
	ctx, cancel := context.WithTimeout(ctx, v.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form))
	if err != nil {
		return nil, errors.New("the address is not valid")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "identity") // so that the limit holds after decompression too
	request.Header.Set("User-Agent", "pdpp-mcp")
	if form != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		// RFC 6749, section 2.3.1: both are encoded before Basic joins them with a colon.
		request.SetBasicAuth(url.QueryEscape(v.options.ClientID), url.QueryEscape(v.options.ClientSecret.Reveal()))
	}
	response, err := v.options.Transport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("it cannot be reached%s; check the address and the network: %w", rs.Via(address), withoutQuotes(err))
	}
	defer response.Body.Close()
	if err := checkHeader(response); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("its answer was cut off: %w", withoutQuotes(err))
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("its answer is larger than %d bytes", limit)
	}
	parsed, err := rawjson.ReadObject(body, maxDepth)
	if err != nil {
		return nil, invalidAnswer(err)
	}
	return parsed, nil
}

// ErrIntrospectionClient reports that the authorization server refuses the introspection client.
var ErrIntrospectionClient = errors.New("check the client id and secret for introspection")

func invalidAnswer(cause error) error { return fmt.Errorf("its answer is invalid: %w", cause) }

// checkHeader returns what is wrong with a response before its body is read.
func checkHeader(response *http.Response) error {
	status := response.StatusCode
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("it answered %d; %w", status, ErrIntrospectionClient)
	case status >= 300 && status < 400:
		return fmt.Errorf("it answered with a redirect (%d), which is not followed because credentials must not reach another server; configure the final address", status)
	case status != http.StatusOK:
		return fmt.Errorf("it answered %d", status)
	case err != nil || media != "application/json":
		return errors.New("its answer has a Content-Type other than application/json; check the address")
	}
	return nil
}

// withoutQuotes returns an error that quotes nothing of a response, which may repeat a token. Package http quotes
// malformed responses.
func withoutQuotes(err error) error {
	for _, plain := range []error{context.DeadlineExceeded, context.Canceled, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, plain) {
			return plain
		}
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		return network
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate
	}
	return fmt.Errorf("an error of type %T, whose text is not shown because it may repeat the response", err)
}

// issuerMetadata has the used members of the authorization server's metadata.
type issuerMetadata struct {
	introspection string // its endpoint; empty if one is configured
	scope         string // Scope, or nothing if the server does not list it
	document      rawjson.Object
}

// address returns the introspection endpoint: the configured one, or the one in the issuer's metadata.
func (v *Verifier) address(ctx context.Context) (string, error) {
	if v.options.IntrospectionURL != "" {
		return v.options.IntrospectionURL, nil
	}
	if err := v.ReadMetadata(ctx); err != nil {
		return "", err
	}
	return v.metadata.Load().introspection, nil
}

// Scope returns the scope that a challenge names for clients to request (MCP, authorization): Scope, or nothing as long
// as the metadata is not known to list it.
func (v *Verifier) Scope() string {
	if known := v.metadata.Load(); known != nil {
		return known.scope
	}
	return ""
}

// Metadata returns the metadata of the authorization server, or nil as long as they are unknown.
func (v *Verifier) Metadata() rawjson.Object {
	if known := v.metadata.Load(); known != nil {
		return known.document
	}
	return nil
}

// MembersPublished is the member of the metadata of an authorization server whose introspections have the members of
// packages.
const MembersPublished = "pdpp_package_members_supported"

// ReadMetadata reads the metadata of the authorization server unless it is known. Concurrent callers share the request,
// which continues if one of them is cancelled. A challenge never causes it, so that strangers cannot.
func (v *Verifier) ReadMetadata(ctx context.Context) error {
	if v.metadata.Load() != nil {
		return nil
	}
	_, err, _ := v.reading.Do("metadata", func() (any, error) {
		found, err := v.discover(context.WithoutCancel(ctx))
		if err == nil {
			v.metadata.Store(found)
		}
		return nil, err
	})
	return err
}

// discover reads the metadata (RFC 8414, section 3).
func (v *Verifier) discover(ctx context.Context) (*issuerMetadata, error) {
	issuer, _ := url.Parse(strings.TrimRight(v.options.AuthorizationServer, "/")) // NewVerifier has checked it
	document := address.WellKnown(issuer, "oauth-authorization-server")
	metadata, err := v.exchange(ctx, http.MethodGet, document, "", maxMetadata)
	if err != nil {
		return nil, serverError(document, err)
	}
	members := &rawjson.Reader{Object: metadata}
	named, found := members.Text("issuer"), members.Text("introspection_endpoint")
	switch {
	case members.Err != nil:
		err = members.Err
	case canonical(named) != address.Canonical(issuer): // refused by RFC 8414, section 3.3
		err = errors.New("it names another issuer; configure the issuer as the metadata spells it, or the introspection URL")
	case v.options.IntrospectionURL != "":
		found = ""
	case found == "":
		err = errors.New("it names no introspection_endpoint; configure the introspection URL")
	case strings.HasPrefix(document, "https:") && strings.HasPrefix(strings.ToLower(found), "http:"):
		err = errors.New("the introspection_endpoint of an https issuer must be https")
	default:
		err = checkURL("introspection_endpoint", found)
	}
	if err != nil {
		return nil, serverError(document, fmt.Errorf("its metadata is invalid: %w", err))
	}
	return &issuerMetadata{introspection: found, scope: scopeOf(metadata), document: metadata}, nil
}

// scopeOf returns Scope if the metadata lists it. It ignores a list of another form, since nothing else depends on it.
func scopeOf(metadata rawjson.Object) string {
	scopes, _ := rawjson.Elements(metadata.Get("scopes_supported"))
	for _, each := range scopes {
		if name, _ := rawjson.Text(each); name == Scope {
			return Scope
		}
	}
	return ""
}
