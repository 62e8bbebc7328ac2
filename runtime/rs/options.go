package rs

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// Defaults of Options (interfaces.md, Limits).
const (
	DefaultTimeout = 15 * time.Second
	DefaultMaxBody = 16 << 20 // bytes after decompression
)

// Options configures a Client.
type Options struct {
	// BaseURL is the address of the resource server: http or https, a host, and optionally a prefix of every request path. Userinfo,
	// a query or a fragment is refused.
	BaseURL string

	// ProviderURL is the provider's public origin, under the same rules. Empty means BaseURL.
	ProviderURL string

	// Bearer is the access token that every request carries, as NewBearer takes it.
	Bearer Secret

	// Secrets are other bearers of the same call, which no response may show (R-PKG-2); may be nil.
	Secrets *Secrets

	// Header is added to every request, such as the caller's request id. It cannot replace the client's own header. It is copied. The
	// caller's trace comes with the context of each request (package tracecontext).
	Header http.Header

	// Transport sends the requests. Clients with the same transport share connections. Nil means the transport of this process.
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

// NewTransport returns a transport for the clients of one process. It keeps connections alive, uses HTTP/2 over TLS, and ignores
// proxies of the environment, so that a bearer goes only to the resource server. It is safe for concurrent use.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
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
