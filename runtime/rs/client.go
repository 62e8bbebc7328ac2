package rs

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// Client is a Reader over HTTP with one bearer. It is cheap: it holds no connections of its own, so a
// host makes one per caller on a shared transport. It is immutable and safe for concurrent use.
type Client struct {
	transport   http.RoundTripper
	baseURL     string
	providerURL string
	bearer      string
	header      http.Header
	secrets     redactor
	timeout     time.Duration
	maxBody     int64
}

var _ Reader = (*Client)(nil)

// NewClient checks the options and makes a client. Its error is an *OptionError.
// It sends nothing.
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
	if err := checkBearer(options.Bearer); err != nil {
		return nil, err
	}
	if options.Transport == nil {
		options.Transport = sharedTransport()
	}
	if options.Timeout <= 0 {
		options.Timeout = DefaultTimeout
	}
	if options.MaxBody <= 0 {
		options.MaxBody = DefaultMaxBody
	}
	return &Client{
		transport:   options.Transport,
		baseURL:     baseURL,
		providerURL: providerURL,
		bearer:      options.Bearer,
		header:      options.Header.Clone(),
		secrets:     newRedactor(options.Bearer),
		timeout:     options.Timeout,
		maxBody:     options.MaxBody,
	}, nil
}

// ProviderURL is the provider's public origin, without a trailing slash.
func (c *Client) ProviderURL() string { return c.providerURL }

// Get reads within the client's timeout and the context's deadline, whichever is sooner, and sends the
// GET again where that may help (MaxTries). It sends nothing with other credentials (R-ERR-3), follows no
// redirect, and removes the bearer from whatever the resource server echoes (R-ERR-6).
func (c *Client) Get(ctx context.Context, asked Request) (*Response, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return repeat(limited, func() (*Response, error) { return c.get(limited, ctx, asked) })
}

// get sends one GET and reads the whole answer. The caller's context tells why the limited one ended.
func (c *Client) get(ctx, caller context.Context, asked Request) (*Response, error) {
	address := c.baseURL + string(asked.Path)
	if query := asked.Query.Encoded(); query != "" {
		address += "?" + query
	}
	exchange := exchange{client: c, caller: caller, asked: asked, shownURL: c.secrets.text(address)}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, exchange.failure(Unreachable, "the request has no valid URL; check the provider URL", nil)
	}
	for name, values := range c.header {
		request.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Authorization", "Bearer "+c.bearer)
	request.Header.Set("User-Agent", "pdpp-mcp")

	// The transport is called directly. Package http's Client would follow redirects, and the bearer goes
	// only where the configuration says: not to another origin, and a resource server has no reason to
	// move its API within its own.
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, exchange.unanswered(err)
	}
	defer response.Body.Close()
	return exchange.read(response)
}
