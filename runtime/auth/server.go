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

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Limits of bodies, in bytes. An introspection of a package repeats every member with its streams and authorization details.
const (
	maxIntrospection = 1 << 20
	maxMetadata      = 256 << 10
)

// ServerError is an unusable answer of the authorization server, and the cause of a Refusal with 503. It holds nothing of a body,
// which may repeat a token.
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

// Unwrap returns the cause.
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
