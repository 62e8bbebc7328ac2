package rs

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// MaxTries bounds how often one read is sent.
//
// A read is repeated if the connection was refused or broke before a status line, or after 502, 503, 504, or 429 with a
// Retry-After. Every try is the same request with the same bearer (R-ERR-3), and all tries share one timeout. A change is never
// repeated, nor is a read that timed out. Jitter spreads callers that failed together, and RetryBudget bounds their total
// load. A caller waits up to 0.6 s longer for a refusal, or as long as Retry-After asks.
const MaxTries = 3

// Waits before the second and the third try, plus or minus up to a half.
const (
	firstWait  = 100 * time.Millisecond
	waitFactor = 3
)

// repeat runs a read until it succeeds or may not be repeated. The context's deadline bounds all tries, and the budget those after
// the first. It returns the error of the last try, also if the context ends during a wait.
func repeat(ctx context.Context, budget *RetryBudget, once func(try int) (*Response, error)) (*Response, error) {
	budget.earn()
	deadline, _ := ctx.Deadline()
	usual := firstWait
	for try := 1; ; try++ {
		response, err := once(try)
		if err == nil || try == MaxTries {
			return response, err
		}
		wait, again := waitAfter(err, usual/2+rand.N(usual), time.Until(deadline))
		if !again || !budget.spend() {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
		usual *= waitFactor
	}
}

// waitAfter returns how long to wait after a failed try, as the server asks or else as usual, and whether another try may help
// in the time that is left.
func waitAfter(err error, usual, left time.Duration) (wait time.Duration, again bool) {
	var refused *Error
	if !errors.As(err, &refused) {
		var failure *Failure
		return usual, errors.As(err, &failure) && failure.passing && usual < left
	}
	wait, asked := retryAfter(refused.RetryAfter, time.Now())
	switch refused.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	case http.StatusTooManyRequests:
		again = asked
	}
	if !asked {
		return usual, again && usual < left
	}
	// If the wait is longer than the time left for the try, the caller decides: the error has the Retry-After.
	jitter := rand.N(firstWait)
	return wait + jitter, again && wait <= left/2-jitter
}

// retryAfter parses a Retry-After header (RFC 9110, section 10.2.3): seconds, or an HTTP date.
func retryAfter(header string, now time.Time) (wait time.Duration, asked bool) {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return max(0, date.Sub(now)), true
}

// isPassing reports whether a request without a response may succeed at once: its connection was refused or broke. A name that
// does not resolve, an untrusted certificate and bytes that are not HTTP are permanent, and after a timeout the caller has
// waited long enough.
func isPassing(err error) bool {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &name) || errors.As(err, &certificate) {
		return false
	}
	var connection *net.OpError
	if errors.As(err, &connection) {
		switch connection.Op {
		case "dial", "read", "write":
			return !connection.Timeout()
		}
		return false // TLS alerts among them
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// Further tries of all reads that share a RetryBudget. The reserve repairs single failures at once. The share allows the same under
// load. The floor lets an adapter with few reads, such as a local server, recover after an outage.
const (
	retryShare   = 0.1  // further tries earned by each read
	retryReserve = 20.0 // further tries at the start, and the maximum
	retryFloor   = 1.0  // further tries earned per second
)

// RetryBudget bounds the further tries of all reads that share it, so that callers do not triple the load of a resource server
// that is down: up to a tenth of the reads, plus one per second, plus twenty (compare gRFC A6 and Site Reliability Engineering,
// chapter 21). Once it is spent, the first failure is final. Use NewRetryBudget. It is safe for concurrent use.
type RetryBudget struct {
	mutex  sync.Mutex
	saved  float64 // further tries, from 0 to retryReserve
	counts time.Time
}

// NewRetryBudget returns a new budget with its whole reserve.
func NewRetryBudget() *RetryBudget {
	return &RetryBudget{saved: retryReserve, counts: time.Now()}
}

// earn adds the share of one read.
func (b *RetryBudget) earn() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.saved = min(b.saved+retryShare, retryReserve)
}

// spend takes one further try and reports whether there was one.
func (b *RetryBudget) spend() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	now := time.Now()
	b.saved = min(b.saved+now.Sub(b.counts).Seconds()*retryFloor, retryReserve)
	b.counts = now
	if b.saved < 1 {
		return false
	}
	b.saved--
	return true
}
