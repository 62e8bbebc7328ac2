// Package auth decides who may use the hosted server. It asks the authorization server about the bearer of a request
// (RFC 7662), and writes refusals (RFC 6750, RFC 9728). A refused request never reaches MCP (R-HOST-4). Package host
// calls Bearer and Verifier.Verify, and Challenge.Write for their errors.
package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/address"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Verifier asks the authorization server about tokens and caches its answers for a short time. It is safe for
// concurrent use.
type Verifier struct {
	options   Options
	metadata  atomic.Pointer[issuerMetadata] // nil until it was read
	reading   singleflight.Group             // of the metadata
	audiences map[string]bool                // in canonical spelling
	asking    singleflight.Group
	free      *semaphore.Weighted // limits running introspections

	// The cached verdicts. Refusals are cached separately, so that a flood of made-up tokens does not displace valid
	// callers.
	admitted, refused *lru.Cache[key, *verdict]
}

// maxWait limits how long a token waits for its introspection to begin. It suffices for an ordinary burst.
const maxWait = time.Second

var errBusy = errors.New("too many introspections are running")

// NewVerifier returns a new Verifier. Its error is an *rs.OptionError. It sends nothing.
func NewVerifier(options Options) (*Verifier, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	v := &Verifier{
		options:   options,
		audiences: map[string]bool{},
		free:      semaphore.NewWeighted(Concurrency),
	}
	v.admitted, _ = lru.New[key, *verdict](options.CacheSize) // fails only for a size that is not positive
	v.refused, _ = lru.New[key, *verdict](options.CacheSize)
	for _, accepted := range options.Audiences {
		v.audiences[canonical(accepted)] = true
	}
	return v, nil
}

// Verify returns the caller that a bearer belongs to (R-HOST-4). Its error is a *Refusal.
//
// A positive answer is cached for up to 60 s or until the token expires, and a negative one for 5 s. Concurrent
// requests with one token share an introspection, which continues if one of them is cancelled. A token is refused with
// 503 if the authorization server sends no usable answer, or if its introspection cannot begin within a second.
func (v *Verifier) Verify(ctx context.Context, bearer string) (*Caller, error) {
	if !isToken(bearer) {
		return nil, badToken("The bearer token is not well-formed. Send the access token as it was issued.")
	}
	token := key(sha256.Sum256([]byte(bearer)))
	if kept, found := v.kept(token, v.options.Clock()); found {
		v.options.Observe(CacheHit)
		return kept.caller, kept.err
	}
	shared := context.WithoutCancel(ctx)
	asked := v.asking.DoChan(string(token[:]), func() (any, error) { return v.ask(shared, token, bearer) })
	select {
	case <-ctx.Done():
		return nil, unavailable(ctx.Err())
	case answered := <-asked:
		if answered.Err != nil {
			return nil, unavailable(answered.Err)
		}
		judged := answered.Val.(*verdict)
		return judged.caller, judged.err
	}
}

// Check introspects a token that does not exist, for a readiness probe. Its error is a *Refusal with 503.
func (v *Verifier) Check(ctx context.Context) error {
	if _, err := v.introspect(ctx, rand.Text()); err != nil {
		return unavailable(err)
	}
	go func() { _ = v.ReadMetadata(ctx) }() // for Scope; only the introspection decides
	return nil
}

// ask returns a new verdict and caches it. Its context does not end with a request, because requests share the answer.
func (v *Verifier) ask(ctx context.Context, token key, bearer string) (*verdict, error) {
	asked := v.options.Clock()
	if kept, found := v.kept(token, asked); found { // an introspection has just ended
		return kept, nil
	}
	waiting, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	if v.free.Acquire(waiting, 1) != nil {
		v.options.Observe(Busy)
		return nil, errBusy
	}
	defer v.free.Release(1)
	answered, err := v.introspect(ctx, bearer)
	if err != nil {
		v.options.Observe(Failed)
		return nil, err
	}
	v.options.Observe(Answered)
	judged := v.judge(answered, hex.EncodeToString(token[:8]), asked)
	if judged.err != nil {
		v.refused.Add(token, judged)
	} else {
		v.admitted.Add(token, judged)
	}
	return judged, nil
}

func (v *Verifier) introspect(ctx context.Context, bearer string) (*answer, error) {
	address, err := v.address(ctx)
	if err != nil {
		return nil, err
	}
	form := url.Values{"token": {bearer}, "token_type_hint": {"access_token"}}
	body, err := v.exchange(ctx, http.MethodPost, address, form.Encode(), maxIntrospection)
	if err != nil {
		return nil, serverError(address, err)
	}
	answered, err := parseAnswer(body)
	if err != nil {
		return nil, serverError(address, invalidAnswer(err))
	}
	return answered, nil
}

// Defaults of Options.
const (
	DefaultTimeout   = 5 * time.Second // docs/interfaces.md, Limits
	DefaultCacheSize = 10_000
)

// Concurrency limits concurrent introspections, so that made-up tokens do not flood the authorization server.
const Concurrency = 64

// Options configures a Verifier.
type Options struct {
	AuthorizationServer string // the issuer, an http or https URL
	IntrospectionURL    string // if empty, it is read from the issuer's metadata (RFC 8414)

	// ClientID and ClientSecret authenticate the introspection by HTTP Basic.
	ClientID     string
	ClientSecret rs.Secret

	// Audiences are the accepted values of aud, at least one: the resource server's URL, the public origin, the /mcp URL
	// and what the operator adds (R-HOST-10). A slash at the end of a URL is ignored.
	Audiences []string

	Transport http.RoundTripper // nil means one of rs.NewTransport
	Timeout   time.Duration     // of one request to the authorization server; 0 means DefaultTimeout
	CacheSize int               // of valid tokens, and separately of refused ones; 0 means DefaultCacheSize

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
