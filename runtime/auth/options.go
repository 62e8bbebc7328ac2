package auth

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// DefaultTimeout bounds one request to the authorization server (interfaces.md, Limits).
const DefaultTimeout = 5 * time.Second

// DefaultCacheSize is how many tokens are kept, with access and without it each.
const DefaultCacheSize = 10_000

// Options configures a Verifier.
type Options struct {
	// AuthorizationServer is the issuer: http or https, a host, perhaps a path. The introspection
	// endpoint is read from its metadata (RFC 8414) when IntrospectionURL is empty.
	AuthorizationServer string

	// IntrospectionURL is the introspection endpoint. Empty means: read it from the metadata when the
	// first token comes, and keep it. Reading that fails is tried again with the next token.
	IntrospectionURL string

	// ClientID and ClientSecret authenticate the introspection by HTTP Basic. Both are required.
	ClientID     string
	ClientSecret rs.Secret

	// Audiences are the values of aud that are accepted: the resource server's URL, the public origin,
	// the /mcp URL and what the operator adds (R-HOST-10). At least one. URLs are compared without a
	// slash at the end.
	Audiences []string

	Transport http.RoundTripper // nil means one that rs.NewTransport makes
	Timeout   time.Duration     // of one request to the authorization server; 0 means DefaultTimeout
	CacheSize int               // 0 means DefaultCacheSize

	// Concurrency is how many introspections run at once, so that made-up tokens do not become a flood at
	// the authorization server; 0 means DefaultConcurrency. Answers out of the cache do not count.
	Concurrency int

	Clock func() time.Time // nil means time.Now

	// Observe is told what happened, for metrics. It is called from many goroutines and must not block.
	// It may be nil.
	Observe func(Event)
}

// Event is one thing that a Verifier did.
type Event string

// The events. A token that is verified gives CacheHit, or waits for one Answered, Failed or Busy, which
// the requests that wait together share.
const (
	CacheHit Event = "cache_hit" // answered from memory
	Answered Event = "answered"  // the authorization server gave a usable answer, whichever it was
	Failed   Event = "failed"    // it gave none
	Busy     Event = "busy"      // it was not asked: too many introspections were under way
)

// complete checks the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	if err := checkURL("AuthorizationServer", o.AuthorizationServer); err != nil {
		return o, err
	}
	if strings.Contains(o.AuthorizationServer, "?") { // RFC 8414, section 2
		return o, &rs.OptionError{Option: "AuthorizationServer", Message: "holds a query; pass the issuer as the authorization server spells it"}
	}
	if o.IntrospectionURL != "" {
		if err := checkURL("IntrospectionURL", o.IntrospectionURL); err != nil {
			return o, err
		}
	}
	switch {
	case o.ClientID == "":
		return o, &rs.OptionError{Option: "ClientID", Message: "is empty; pass the id that the authorization server knows this server by"}
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

// checkURL does not repeat the value, since userinfo may be in it.
func checkURL(option, value string) error {
	if _, err := address.Parse(value); err != nil {
		return &rs.OptionError{Option: option, Message: err.Error() + "; pass a URL such as https://as.example.com"}
	}
	return nil
}
