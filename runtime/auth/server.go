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

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Limits of bodies, in bytes. An introspection of a package repeats every member with its streams and authorization details.
const (
	maxIntrospection = 1 << 20
	maxMetadata      = 256 << 10
)

// ServerError is an unusable answer of the authorization server. It holds nothing of a body, which may repeat a token.
type ServerError struct {
	URL     string
	Status  int    // 0 without a response
	Message string // what happened, and what to check
	Cause   error  // may be nil
}

func (e *ServerError) Error() string {
	text := "authorization server, " + e.URL + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

func (e *ServerError) Unwrap() error { return e.Cause }

// exchange sends one request and reads one JSON object within the timeout. A request with a form has credentials. It uses the
// transport directly, because an http.Client would follow redirects with the token and the credentials.
func (v *Verifier) exchange(ctx context.Context, method, address, form string, limit int64) (rawjson.Object, error) {
	ctx, cancel := context.WithTimeout(ctx, v.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form))
	if err != nil {
		return nil, &ServerError{URL: address, Message: "the address is not valid"}
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
		return nil, &ServerError{URL: address, Message: "it cannot be reached; check the address and the network", Cause: withoutQuotes(err)}
	}
	defer response.Body.Close()
	if problem := unusable(response); problem != "" {
		return nil, &ServerError{URL: address, Status: response.StatusCode, Message: problem}
	}
	return readObject(response, address, limit)
}

// unusable returns what is wrong with a response before its body is read, or nothing.
func unusable(response *http.Response) string {
	status := response.StatusCode
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Sprintf("it answered %d; check the client id and secret for introspection", status)
	case status >= 300 && status < 400:
		return fmt.Sprintf("it answered with a redirect (%d), which is not followed because credentials must not reach another server; configure the final address", status)
	case status != http.StatusOK:
		return fmt.Sprintf("it answered %d", status)
	}
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return "its answer has a Content-Type other than application/json; check the address"
	}
	return ""
}

func readObject(response *http.Response, address string, limit int64) (rawjson.Object, error) {
	failed := func(message string, cause error) error {
		return &ServerError{URL: address, Status: response.StatusCode, Message: message, Cause: cause}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, failed("its answer was cut off", withoutQuotes(err))
	}
	if int64(len(body)) > limit {
		return nil, failed(fmt.Sprintf("its answer is larger than %d bytes", limit), nil)
	}
	parsed, err := rawjson.ReadObject(body, maxDepth)
	if err != nil {
		return nil, failed("its answer is invalid", err)
	}
	return parsed, nil
}

// withoutQuotes returns an error that quotes nothing of a response, which may repeat a token. Package http quotes malformed responses.
func withoutQuotes(err error) error {
	for _, plain := range []error{context.DeadlineExceeded, context.Canceled, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, plain) {
			return plain
		}
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network
	}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return certificate
	}
	return fmt.Errorf("an error of type %T, whose text is not shown because it may repeat the response", err)
}

// issuerMetadata is what is used of the metadata of the authorization server.
type issuerMetadata struct {
	introspection string // its endpoint; empty if one is configured
	scope         string // Scope, or nothing if the server does not list it
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

// Scope returns the scope that a challenge names for clients to request (MCP, authorization): Scope, or nothing as long as the metadata is not
// known to list it.
func (v *Verifier) Scope() string {
	if known := v.metadata.Load(); known != nil {
		return known.scope
	}
	return ""
}

// ReadMetadata reads the metadata of the authorization server, once. Concurrent callers share the request, which continues if one of them is
// cancelled. A challenge never causes it, so that strangers cannot.
func (v *Verifier) ReadMetadata(ctx context.Context) error {
	if v.metadata.Load() != nil {
		return nil
	}
	_, err, _ := v.reading.Do("metadata", func() (any, error) {
		if v.metadata.Load() != nil {
			return nil, nil
		}
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
	failed := func(message string, cause error) error {
		return &ServerError{URL: document, Message: message, Cause: cause}
	}
	metadata, err := v.exchange(ctx, http.MethodGet, document, "", maxMetadata)
	if err != nil {
		return nil, err
	}
	members := &rawjson.Reader{Object: metadata}
	named, found := members.Text("issuer"), members.Text("introspection_endpoint")
	switch {
	case members.Err != nil:
		return nil, failed("its metadata is invalid", members.Err)
	case canonical(named) != address.Canonical(issuer): // refused by RFC 8414, section 3.3
		return nil, failed("its metadata names another issuer; configure the issuer as the metadata spells it, or the introspection URL", nil)
	case v.options.IntrospectionURL != "":
		return &issuerMetadata{scope: scopeOf(metadata)}, nil
	case found == "":
		return nil, failed("its metadata names no introspection_endpoint; configure the introspection URL", nil)
	}
	if err := checkURL("introspection_endpoint", found); err != nil {
		return nil, failed("its metadata is invalid", err)
	}
	if strings.HasPrefix(document, "https:") && !strings.HasPrefix(strings.ToLower(found), "https:") {
		return nil, failed("its metadata is invalid", errUnencrypted)
	}
	return &issuerMetadata{introspection: found, scope: scopeOf(metadata)}, nil
}

// scopeOf returns Scope if the metadata lists it. A list of another form is no error, since nothing else depends on it.
func scopeOf(metadata rawjson.Object) string {
	scopes, _ := rawjson.Elements(metadata.Get("scopes_supported"))
	for _, each := range scopes {
		if name, _ := rawjson.Text(each); name == Scope {
			return Scope
		}
	}
	return ""
}

var errUnencrypted = errors.New("the introspection_endpoint of an https issuer must be https")
