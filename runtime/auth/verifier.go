// Package auth decides who may speak to the hosted server. It takes the bearer out of a request, asks the
// authorization server about it (RFC 7662), and says in HTTP's terms (RFC 6750, RFC 9728) why a request
// is refused. It knows nothing of MCP: a request that it refuses never gets that far (R-HOST-4).
//
// The order of use is Bearer, Verifier.Verify, and Challenge.Write for an error of either.
package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// Verifier asks the authorization server about tokens and keeps its answers for a short time. It is safe
// for concurrent use.
type Verifier struct {
	options   Options
	endpoint  atomic.Pointer[string] // nil until the issuer's metadata was read
	reading   singleflight.Group     // of that metadata
	audiences map[string]bool        // that are accepted, as canonical spells them
	cache     *cache
	asking    singleflight.Group
	free      *semaphore.Weighted // how many introspections may run
}

// Bounds of what a flood of made-up tokens can cause: each of them is asked about once.
const (
	// DefaultConcurrency is how many introspections run at once.
	DefaultConcurrency = 64

	// longestWait is how long a token waits for an introspection to begin before it is refused with 503. It lets an honest
	// burst through, and ends far sooner than the introspections of an authorization server that hangs.
	longestWait = time.Second
)

// errBusy is the cause of a refusal while too many introspections run.
var errBusy = errors.New("too many introspections run at once; this one could not begin in time")

// NewVerifier checks the options and makes a Verifier. Its error is an *rs.OptionError. It sends nothing.
func NewVerifier(options Options) (*Verifier, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	v := &Verifier{
		options:   options,
		audiences: map[string]bool{},
		cache:     newCache(options.CacheSize),
		free:      semaphore.NewWeighted(int64(options.Concurrency)),
	}
	if options.IntrospectionURL != "" {
		v.endpoint.Store(&options.IntrospectionURL)
	}
	for _, accepted := range options.Audiences {
		v.audiences[canonical(accepted)] = true
	}
	return v, nil
}

// Verify finds out who a bearer belongs to (R-HOST-4). Its error is a *Refusal.
//
// A positive answer is kept until the token ends, at most 60 s; a negative one for 5 s; no usable answer is not
// kept. Requests that bring the same token at the same time wait for one introspection together; when one
// of them is cancelled the others still get the answer. While the authorization server gives no usable
// answer, a kept answer counts until its time, and after it the token is refused with 503. So is a token
// whose introspection cannot begin within a second, since only so many run at once.
func (v *Verifier) Verify(ctx context.Context, bearer string) (*Caller, error) {
	if !isToken(bearer) {
		return nil, badToken("The bearer token is not well-formed. Send the access token as it was issued.")
	}
	token := key(sha256.Sum256([]byte(bearer)))
	if kept, found := v.cache.get(token, v.options.Clock()); found {
		v.options.Observe(CacheHit)
		return kept.result()
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
		return answered.Val.(*verdict).result()
	}
}

// Check asks whether the authorization server answers this server's introspections, for a readiness
// probe: it asks about a token that does not exist, every time. Its error is a *Refusal with 503.
func (v *Verifier) Check(ctx context.Context) error {
	if _, err := v.introspect(ctx, rand.Text()); err != nil {
		return unavailable(err)
	}
	return nil
}

// ask makes a verdict and keeps it. Its context does not end by itself: requests that wait together share the answer.
func (v *Verifier) ask(ctx context.Context, token key, bearer string) (*verdict, error) {
	// Since the caller looked into the cache, another introspection may have ended.
	asked := v.options.Clock()
	if kept, found := v.cache.get(token, asked); found {
		return kept, nil
	}
	waiting, cancel := context.WithTimeout(ctx, longestWait)
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
	made := v.judge(answered, hex.EncodeToString(token[:8]), asked)
	v.cache.put(token, made)
	return made, nil
}

// introspect asks about a token (RFC 7662, section 2.1).
func (v *Verifier) introspect(ctx context.Context, bearer string) (*answer, error) {
	address, err := v.address(ctx)
	if err != nil {
		return nil, err
	}
	form := url.Values{"token": {bearer}, "token_type_hint": {"access_token"}}
	body, err := v.exchange(ctx, http.MethodPost, address, form.Encode(), maxIntrospection)
	if err != nil {
		return nil, err
	}
	answered, err := parseAnswer(body)
	if err != nil {
		return nil, &ServerError{URL: address, Status: 200, Message: "its answer cannot be used", Cause: err}
	}
	return answered, nil
}
