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
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// Verifier asks the authorization server about tokens and keeps its answers for a short time. It is safe
// for concurrent use.
type Verifier struct {
	server    *server
	endpoint  *endpoint
	audiences map[string]bool // that are accepted, as canonical spells them
	cache     *cache
	asking    singleflight.Group
	free      *semaphore.Weighted // how many introspections may run
	clock     func() time.Time
	observe   func(Event)
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
	as := &server{
		transport: options.Transport, clientID: options.ClientID, clientSecret: options.ClientSecret, timeout: options.Timeout,
	}
	audiences := map[string]bool{}
	for _, accepted := range options.Audiences {
		audiences[canonical(accepted)] = true
	}
	return &Verifier{
		server:    as,
		endpoint:  newEndpoint(as, options.AuthorizationServer, options.IntrospectionURL),
		audiences: audiences,
		cache:     newCache(options.CacheSize),
		free:      semaphore.NewWeighted(int64(options.Concurrency)),
		clock:     options.Clock,
		observe:   options.Observe,
	}, nil
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
	if kept, found := v.cache.get(token, v.clock()); found {
		v.observe(CacheHit)
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
	asked := v.clock()
	if kept, found := v.cache.get(token, asked); found {
		return kept, nil
	}
	waiting, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	if v.free.Acquire(waiting, 1) != nil {
		v.observe(Busy)
		return nil, errBusy
	}
	defer v.free.Release(1)
	answered, err := v.introspect(ctx, bearer)
	if err != nil {
		v.observe(Failed)
		return nil, err
	}
	v.observe(Answered)
	made := v.judge(answered, hex.EncodeToString(token[:8]), asked)
	v.cache.put(token, made)
	return made, nil
}

func (v *Verifier) introspect(ctx context.Context, bearer string) (*answer, error) {
	address, err := v.endpoint.address(ctx)
	if err != nil {
		return nil, err
	}
	body, err := v.server.introspect(ctx, address, bearer)
	if err != nil {
		return nil, err
	}
	answered, err := parseAnswer(body)
	if err != nil {
		return nil, &ServerError{URL: address, Status: 200, Message: "its answer cannot be used", Cause: err}
	}
	return answered, nil
}
