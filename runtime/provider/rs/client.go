package rs

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
)

// Client is a Reader, a Writer and an Opener over HTTP with one bearer. It is immutable and safe for concurrent use.
type Client struct {
	transport   http.RoundTripper
	baseURL     string
	providerURL string
	bearer      Secret
	header      http.Header
	secrets     *Secrets
	timeout     time.Duration
	maxBody     int64
	retries     *RetryBudget
}

var (
	_ Reader = (*Client)(nil)
	_ Writer = (*Client)(nil)
	_ Opener = (*Client)(nil)
)

// NewClient checks the options and returns a new client. It sends nothing. Its error is an *OptionError.
func NewClient(options Options) (*Client, error) {
	baseURL, err := origin("BaseURL", options.BaseURL)
	if err != nil {
		return nil, err
	}
	providerURL := baseURL
	if options.ProviderURL != "" {
		if providerURL, err = origin("ProviderURL", options.ProviderURL); err != nil {
			return nil, err
		}
	}
	if _, err := NewBearer(options.Bearer.Reveal()); err != nil {
		return nil, &OptionError{"Bearer", err.Error() + "; pass a scoped access token"}
	}
	if options.Transport == nil {
		options.Transport = sharedTransport()
	}
	if options.Retries == nil {
		options.Retries = NewRetryBudget()
	}
	return &Client{
		retries:     options.Retries,
		transport:   options.Transport,
		baseURL:     baseURL,
		providerURL: providerURL,
		bearer:      options.Bearer,
		header:      options.Header.Clone(),
		secrets:     options.Secrets.with(options.Bearer.Reveal()),
		timeout:     cmp.Or(max(options.Timeout, 0), DefaultTimeout),
		maxBody:     cmp.Or(max(options.MaxBody, 0), DefaultMaxBody),
	}, nil
}

// ProviderURL returns the provider's public origin, without a trailing slash.
func (c *Client) ProviderURL() string { return c.providerURL }

// Get reads within the client's timeout and the context's deadline, whichever is sooner. It repeats a failed GET up to
// MaxTries. It sends nothing with other credentials (R-ERR-3), follows no redirect, and removes the bearer from what
// the resource server echoes (R-ERR-6). If an optional parameter is refused, it sends another GET without it, with a
// new timeout.
func (c *Client) Get(ctx context.Context, asked Request) (*Response, error) {
	sent := asked.asSent()
	response, err := withFewer(sent, func(asked Request) (*Response, error) { return c.get(ctx, asked) })
	if err != nil {
		return nil, err
	}
	if asked.Path == HybridRoute || asked.isFromNow() {
		response.Request = c.secrets.redactRequest(asked)
	}
	return response, nil
}

func (c *Client) get(ctx context.Context, asked Request) (*Response, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return repeat(limited, c.retries, func(try int) (*Response, error) {
		exchange := c.exchange(ctx, http.MethodGet, asked)
		exchange.try = try
		return exchange.run(limited, nil)
	})
}

// Send sends one change under the rules of Get, but once.
func (c *Client) Send(ctx context.Context, change Change) (*Response, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	asked := Request{Path: change.Path, Query: change.Query}
	return c.exchange(ctx, change.Method, asked).run(limited, change.Body.Encoded())
}

// exchange prepares a request. A remote caller must not see BaseURL, which may be in an internal network.
func (c *Client) exchange(ctx context.Context, method string, asked Request) *exchange {
	target := string(asked.Path)
	if query := asked.Query.Encoded(); query != "" {
		target += "?" + query
	}
	return &exchange{
		client: c, caller: ctx, method: method, asked: asked, try: 1, address: c.baseURL + target, shownURL: c.secrets.redactText(c.providerURL + target),
	}
}

// withFewer runs a read, and repeats it without an optional parameter if the server refuses one. A refusal for another
// reason is final. It then returns the first refusal, which is about the caller's own request. A Failure is returned as
// it is.
func withFewer(asked Request, read func(Request) (*Response, error)) (*Response, error) {
	var first error
	for {
		response, err := read(asked)
		if err == nil {
			return response, nil
		}
		var refused *Error
		if !errors.As(err, &refused) {
			return nil, err
		}
		if first == nil {
			first = err
		}
		fewer, again := asked.withoutRefused(refused)
		if !again {
			return nil, first
		}
		asked = fewer
	}
}

// withoutRefused removes the refused parameter. If the server does not name it, it removes the newest one, and the next
// time all. It returns false for a refusal with another reason.
func (r Request) withoutRefused(refused *Error) (Request, bool) {
	sent := slices.DeleteFunc(slices.Clone(r.Optional), func(name string) bool {
		_, isSent := r.Query.Get(name)
		return !isSent
	})
	if len(sent) == 0 || refused.Status != http.StatusBadRequest || refused.Code != CodeInvalidRequest {
		return Request{}, false
	}
	left := sent
	switch param := refused.Param(); {
	case param != "":
		if !slices.Contains(sent, param) {
			return Request{}, false
		}
		left = []string{param}
	case sent[0] == r.Optional[0]:
		left = sent[:1]
	}
	r.Query = r.Query.Without(left...)
	return r, true
}

// Defaults of Options (docs/interfaces.md, Limits).
const (
	DefaultTimeout = 15 * time.Second
	DefaultMaxBody = 16 << 20 // bytes after decompression
)

// Options configures a Client.
type Options struct {
	// BaseURL is the address of the resource server: http or https, a host, and optionally a prefix of every request path.
	// Userinfo, a query or a fragment is refused.
	BaseURL string

	// ProviderURL is the provider's public origin, under the same rules. Empty means BaseURL.
	ProviderURL string

	// Bearer is the access token that every request carries, as NewBearer takes it.
	Bearer Secret

	// Secrets are other bearers of the same call, which no response may show (R-PKG-2); may be nil.
	Secrets *Secrets

	// Header is added to every request, such as the caller's request id. It cannot replace the client's own header. It is
	// copied. The caller's trace comes with the context of each request (package tracecontext).
	Header http.Header

	// Transport sends the requests. Clients with the same transport share connections. Nil means the transport of this
	// process.
	Transport http.RoundTripper

	// Retries limits the retries of all clients of a resource server. Nil means a budget for this client alone.
	Retries *RetryBudget

	Timeout time.Duration // of one request with its body; 0 means DefaultTimeout
	MaxBody int64         // bytes of a body after decompression; 0 means DefaultMaxBody
}

// OptionError is an invalid option. It never holds the option's value.
type OptionError struct {
	Option  string // the field of Options
	Message string // what is wrong, and what to pass in its place
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Message }

func origin(option, value string) (string, error) {
	if _, err := address.ParseBase(value); err != nil {
		return "", &OptionError{option, err.Error() + "; pass a URL such as https://pdpp.example.com"}
	}
	return strings.TrimRight(value, "/"), nil
}

// NewTransport returns a transport for the clients of one process. It keeps connections alive, uses HTTP/2 over TLS,
// and uses the proxies of the environment: over https, a proxy sees the host and no bearer. It is safe for concurrent
// use.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    64, // the default of 2 makes a host with one RS dial for nearly every call
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // the client decompresses within its own limit
	}
}

var sharedTransport = sync.OnceValue(NewTransport)
