package auth

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Defaults of Options.
const (
	DefaultTimeout     = 5 * time.Second // interfaces.md, Limits
	DefaultCacheSize   = 10_000
	DefaultConcurrency = 64
)

// Options configures a Verifier.
type Options struct {
	AuthorizationServer string // the issuer, an http or https URL
	IntrospectionURL    string // if empty, it is read from the issuer's metadata (RFC 8414)

	// ClientID and ClientSecret authenticate the introspection by HTTP Basic.
	ClientID     string
	ClientSecret rs.Secret

	// Audiences are the accepted values of aud, at least one: the resource server's URL, the public origin, the /mcp URL and what the
	// operator adds (R-HOST-10). A slash at the end of a URL is ignored.
	Audiences []string

	Transport http.RoundTripper // nil means one of rs.NewTransport
	Timeout   time.Duration     // of one request to the authorization server; 0 means DefaultTimeout
	CacheSize int               // of valid tokens, and separately of refused ones; 0 means DefaultCacheSize

	// Concurrency limits concurrent introspections, so that made-up tokens do not flood the authorization server; 0 means
	// DefaultConcurrency.
	Concurrency int

	Clock   func() time.Time // nil means time.Now
	Observe func(Event)      // counts events; called concurrently; may be nil
}

// Event is the result of a token lookup, for metrics.
type Event string

// The events. Requests that share an introspection share its event.
const (
	CacheHit Event = "cache_hit"
	Answered Event = "answered" // the authorization server gave a usable answer
	Failed   Event = "failed"   // it gave no usable answer
	Busy     Event = "busy"     // too many introspections were running
)

func (o Options) complete() (Options, error) {
	if err := checkURL("AuthorizationServer", o.AuthorizationServer); err != nil {
		return o, err
	}
	if strings.Contains(o.AuthorizationServer, "?") { // RFC 8414, section 2
		return o, &rs.OptionError{Option: "AuthorizationServer", Message: "has a query; pass the issuer as the authorization server spells it"}
	}
	if o.IntrospectionURL != "" {
		if err := checkURL("IntrospectionURL", o.IntrospectionURL); err != nil {
			return o, err
		}
	}
	switch {
	case o.ClientID == "":
		return o, &rs.OptionError{Option: "ClientID", Message: "is empty; pass the id of the introspection client"}
	case o.ClientSecret.IsZero():
		return o, &rs.OptionError{Option: "ClientSecret", Message: "is empty; pass the secret of the introspection client"}
	case len(o.Audiences) == 0:
		return o, &rs.OptionError{Option: "Audiences", Message: "is empty; pass at least the resource server's URL"}
	}
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	o.CacheSize = cmp.Or(max(o.CacheSize, 0), DefaultCacheSize)
	o.Concurrency = cmp.Or(max(o.Concurrency, 0), DefaultConcurrency)
	if o.Transport == nil {
		o.Transport = rs.NewTransport()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	return o, nil
}

// checkURL checks a URL. The error does not repeat the value, which may hold a password.
func checkURL(option, value string) error {
	if _, err := address.Parse(value); err != nil {
		return &rs.OptionError{Option: option, Message: err.Error() + "; pass a URL such as https://as.example.com"}
	}
	return nil
}
