package rs

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
)

// DefaultTimeout and DefaultMaxBody hold where Options leave them out (interfaces.md, Limits).
const (
	DefaultTimeout = 15 * time.Second
	DefaultMaxBody = 16 << 20 // bytes after decompression
)

// Options configures a Client.
type Options struct {
	// BaseURL is where the resource server is read: http or https, a host, and optionally a path
	// that stands before every request path. Userinfo, a query or a fragment is refused.
	BaseURL string

	// ProviderURL is the provider's public origin, under the same rules. Empty means BaseURL.
	ProviderURL string

	// Bearer is the access token that every request carries, as NewBearer takes it.
	Bearer Secret

	// Secrets are other bearers of the same call, which no answer may show either (R-PKG-2); nil for none.
	Secrets *Secrets

	// Header is sent with every request beside the client's own header, which it cannot replace: for
	// what belongs to one caller's request, such as its id. It is copied. The caller's trace comes with the context of each
	// request (package tracecontext).
	Header http.Header

	// Transport carries the requests. Share one between clients, so that they share connections.
	// Nil means one transport of this process, made by NewTransport.
	Transport http.RoundTripper

	// Retries bounds how many reads are sent again, over all clients that share it: share one between the clients of
	// a resource server. Nil means one of this client's own.
	Retries *RetryBudget

	Timeout time.Duration // of one request with its body; 0 means DefaultTimeout
	MaxBody int64         // bytes of a body after decompression; 0 means DefaultMaxBody
}

// OptionError is a refusal of one option. It never holds the option's value.
type OptionError struct {
	Option  string // the field of Options
	Message string // what is wrong, and what to pass in its place
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Message }

// origin checks a base URL and gives it without a trailing slash.
func origin(option, value string) (string, error) {
	if _, err := address.ParseBase(value); err != nil {
		return "", &OptionError{option, err.Error() + "; pass a URL such as https://pdpp.example.com"}
	}
	return strings.TrimRight(value, "/"), nil
}

// NewTransport gives a transport for clients of one process to share. It keeps connections alive, speaks
// HTTP/2 over TLS, and takes no proxy from the environment: a bearer goes to the resource server and
// to nothing between. It is safe for concurrent use.
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
		DisableCompression:     true, // the client decompresses by itself, under its own bound
	}
}

var sharedTransport = sync.OnceValue(NewTransport)
