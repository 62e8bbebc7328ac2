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

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Limits of one exchange (interfaces.md, Limits). A body is counted in bytes.
const (
	askTimeout  = 5 * time.Second
	largestBody = 256 << 10
)

// deepest is how far objects and arrays of an answer may stand in each other.
const deepest = 64

// asker sends requests that carry no bearer. It follows no redirect, and every URL was admitted: a provider's metadata may lead to
// https, and to loopback only when the provider itself is there. Otherwise a provider could have this machine ask its own
// services, or send codes in clear text.
type asker struct {
	provider string // its URL in one spelling
	loopback bool
	client   *http.Client
}

// newAsker checks the provider's URL. A nil transport is one of its own.
func newAsker(providerURL string, transport http.RoundTripper) (*asker, error) {
	provider, err := credential.ParseProviderURL(providerURL)
	if err != nil {
		return nil, err
	}
	parsed, _ := url.Parse(provider) // ParseProviderURL wrote it
	loopback := address.IsLoopback(parsed.Hostname())
	if parsed.Scheme != "https" && !loopback {
		return nil, &credential.Error{
			Class:    credential.Usage,
			Message:  "a sign-in at " + provider + " would send codes and a token in clear text",
			NextStep: "pass a provider URL that begins with https://",
		}
	}
	if transport == nil {
		transport = rs.NewTransport()
	}
	return &asker{provider: provider, loopback: loopback, client: &http.Client{
		Transport:     transport,
		Timeout:       askTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// answer is a response that is neither a redirect nor a failure of the server.
type answer struct {
	from    string // the URL
	status  int
	members rawjson.Object // nil when the body is no JSON object
}

func (a *answer) isSuccess() bool { return a.status >= 200 && a.status < 300 }

func (a *asker) postForm(ctx context.Context, address string, form url.Values) (*answer, error) {
	return a.ask(ctx, http.MethodPost, address, "application/x-www-form-urlencoded", []byte(form.Encode()))
}

func (a *asker) postJSON(ctx context.Context, address string, value any) (*answer, error) {
	body, _ := json.Marshal(value) // it is made of strings
	return a.ask(ctx, http.MethodPost, address, "application/json", body)
}

func (a *asker) ask(ctx context.Context, method, address, contentType string, body []byte) (*answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, &credential.Error{Class: credential.Internal, Message: "a request could not be made", Cause: err}
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "pdpp-mcp")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return nil, unanswered(ctx, address, err)
	}
	defer response.Body.Close()
	received, err := io.ReadAll(io.LimitReader(response.Body, largestBody+1))
	if err != nil {
		return nil, unanswered(ctx, address, err)
	}
	members, err := rawjson.ReadObject(received, deepest)
	switch fault := statusFault(address, response.StatusCode); {
	case fault != nil:
		return nil, fault
	case len(received) > largestBody:
		return nil, unfit(address, fmt.Sprintf("answered with more than %d bytes", largestBody), nil)
	case errors.Is(err, rawjson.ErrRepeatedName): // some readers take the first, others the last
		return nil, unfit(address, "answered with JSON that names a member twice in one object", err)
	}
	return &answer{from: address, status: response.StatusCode, members: members}, nil
}

// statusFault is the error of a status that says nothing about what was asked; nil for every other.
func statusFault(address string, status int) error {
	switch {
	case status >= 300 && status < 400:
		return unfit(address, "answered with a redirect, which is not followed", nil)
	case status >= 500:
		return unreachable(address, fmt.Sprintf("answered %d %s", status, http.StatusText(status)), failedStatus(status))
	}
	return nil
}

// failedStatus is the status of a server that failed, as the cause of an error.
type failedStatus int

func (s failedStatus) Error() string { return http.StatusText(int(s)) }

// unanswered is the error of a request without a usable answer. It is the context's own when that ended.
func unanswered(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		if failed.Timeout() {
			return unreachable(address, fmt.Sprintf("did not answer within %s", askTimeout), err)
		}
		err = failed.Err // the URL is named once
	}
	return unreachable(address, "cannot be reached: "+err.Error(), err)
}

func unreachable(address, problem string, err error) *credential.Error {
	return &credential.Error{Class: credential.Unreachable, Message: address + " " + problem, NextStep: "check the provider URL and the network", Cause: err}
}

// unfit is an answer that an authorization server or a provider would not give.
func unfit(address, problem string, err error) *credential.Error {
	return credential.Misconfigured(address+" "+problem, checkProvider, err)
}

// decode reads a JSON object by the exact names of its members, which are in small letters: package json would take others
// for them. Its error does not repeat the body, which may hold a token.
func (a *answer) decode(into any) error {
	if a.members == nil {
		return unfit(a.from, "answered with something that is no JSON object", nil)
	}
	exact := slices.DeleteFunc(slices.Clone(a.members), func(m rawjson.Member) bool { return strings.ToLower(m.Name) != m.Name })
	var mistyped *json.UnmarshalTypeError
	switch err := json.Unmarshal(exact.Encode(), into); {
	case errors.As(err, &mistyped):
		return unfit(a.from, fmt.Sprintf("answered with JSON that cannot be understood: member %s is of the wrong type", mistyped.Field), nil)
	case err != nil:
		return unfit(a.from, "answered with JSON that cannot be understood", nil)
	}
	return nil
}
