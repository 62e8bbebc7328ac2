package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Limits of one request and its response (docs/interfaces.md, Limits).
const (
	askTimeout   = 5 * time.Second
	maxBodyBytes = 256 << 10
	maxDepth     = 64 // nesting
)

// requester sends requests without a bearer. It follows no redirects and requests only admitted URLs: https, and
// loopback only if the provider itself is there. Otherwise a provider could make this machine request its own services,
// or send codes unencrypted.
type requester struct {
	provider string // normalized URL
	loopback bool
	client   *http.Client
}

func newRequester(providerURL string, transport http.RoundTripper) (*requester, error) {
	provider, err := credential.ParseProviderURL(providerURL)
	if err != nil {
		return nil, err
	}
	parsed, _ := url.Parse(provider) // ParseProviderURL returned it
	loopback := address.IsLoopback(parsed.Hostname())
	if parsed.Scheme != "https" && !loopback {
		return nil, credential.Misused("a sign-in at "+provider+" would send codes and a token unencrypted",
			"pass a provider URL that begins with https://", nil)
	}
	if transport == nil {
		transport = rs.NewTransport()
	}
	return &requester{provider: provider, loopback: loopback, client: &http.Client{
		Transport:     transport,
		Timeout:       askTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// answer is a response that is neither a redirect nor a server error.
type answer struct {
	url     string
	status  int
	members rawjson.Object // nil: the body is not a JSON object
}

func (a *answer) isSuccess() bool { return a.status >= 200 && a.status < 300 }

func (r *requester) postForm(ctx context.Context, address string, form url.Values) (*answer, error) {
	return r.ask(ctx, http.MethodPost, address, "application/x-www-form-urlencoded", []byte(form.Encode()))
}

func (r *requester) postJSON(ctx context.Context, address string, value any) (*answer, error) {
	body, _ := json.Marshal(value) // strings always encode
	return r.ask(ctx, http.MethodPost, address, "application/json", body)
}

func (r *requester) ask(ctx context.Context, method, address, contentType string, body []byte) (*answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, &credential.Error{Class: credential.Internal, Message: "could not create a request", Cause: err}
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "pdpp-mcp")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, noAnswer(ctx, address, err)
	}
	defer response.Body.Close()
	received, err := io.ReadAll(io.LimitReader(response.Body, maxBodyBytes+1))
	if err != nil {
		return nil, noAnswer(ctx, address, err)
	}
	members, err := rawjson.ReadObject(received, maxDepth)
	switch status := response.StatusCode; {
	case status >= 300 && status < 400:
		return nil, protocolError(address, "answered with a redirect, which is not followed", nil)
	case status >= 500:
		return nil, unreachableError(address, fmt.Sprintf("answered %d %s", status, http.StatusText(status)), failedStatus(status))
	case len(received) > maxBodyBytes:
		return nil, protocolError(address, fmt.Sprintf("answered with more than %d bytes", maxBodyBytes), nil)
	case errors.Is(err, rawjson.ErrRepeatedName): // some readers take the first, others the last
		return nil, protocolError(address, "answered with JSON that has a duplicate member", err)
	}
	return &answer{url: address, status: response.StatusCode, members: members}, nil
}

// failedStatus is the cause of an error: the status of a server error.
type failedStatus int

func (s failedStatus) Error() string { return http.StatusText(int(s)) }

// noAnswer returns the error of a request without a response. If the context has ended, it is the context's error.
func noAnswer(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		if failed.Timeout() {
			return unreachableError(address, fmt.Sprintf("did not answer within %s", askTimeout), err)
		}
		err = failed.Err // the URL is named once
	}
	return unreachableError(address, "cannot be reached"+rs.Via(address)+": "+err.Error(), err)
}

func unreachableError(address, problem string, err error) *credential.Error {
	return &credential.Error{Class: credential.Unreachable, Message: address + " " + problem, NextStep: "check the provider URL and the network", Cause: err}
}

func protocolError(address, problem string, err error) *credential.Error {
	return credential.Misconfigured(address+" "+problem, checkProvider, err)
}

// decode matches names exactly, unlike package json. Its error does not repeat the body, which may contain a token.
func (a *answer) decode(into any) error {
	if a.members == nil {
		return protocolError(a.url, "did not answer with a JSON object", nil)
	}
	exact := slices.DeleteFunc(slices.Clone(a.members), func(m rawjson.Member) bool { return strings.ToLower(m.Name) != m.Name })
	var mistyped *json.UnmarshalTypeError
	switch err := json.Unmarshal(exact.Encode(), into); {
	case errors.As(err, &mistyped):
		return protocolError(a.url, fmt.Sprintf("answered with unexpected JSON: member %s is of the wrong type", mistyped.Field), nil)
	case err != nil:
		return protocolError(a.url, "answered with unexpected JSON", nil)
	}
	return nil
}

// admit parses a URL from metadata or a response and checks that it may be requested. Printing the result cannot
// control a terminal. The name describes the URL in the error.
func (r *requester) admit(name, raw string) (*url.URL, error) {
	parsed, err := address.Parse(raw)
	problem := ""
	switch {
	case err != nil:
		problem = err.Error()
	case address.MayBeLoopback(parsed.Hostname()) && !r.loopback:
		problem = "leads to this machine, but the provider is on another one"
	case parsed.Scheme == "http" && !address.IsLoopback(parsed.Hostname()):
		problem = "is not https"
	default:
		return parsed, nil
	}
	return nil, credential.Misconfigured(fmt.Sprintf("the %s %s, so it is not followed", name, problem), checkProvider, err)
}

const checkProvider = "check the provider URL, or ask the provider's operator"

// endpoint admits and normalizes a URL that may be empty.
func (r *requester) endpoint(name string, named *string) error {
	if *named == "" {
		return nil
	}
	admitted, err := r.admit(name, *named)
	if err == nil {
		*named = admitted.String()
	}
	return err
}
