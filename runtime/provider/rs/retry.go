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

// MaxTries limits how often one read is sent. A read is repeated if the connection was refused or broke before a status
// line, or after 502, 503, 504, or 429 with a Retry-After. All tries have the same bearer (R-ERR-3) and share one
// timeout. A change is never repeated, nor is a read that timed out. A caller waits up to 0.6 s longer for a refusal,
// or as long as Retry-After asks.
const MaxTries = 3

// Waits before the second and the third try, plus or minus half.
const (
	firstWait  = 100 * time.Millisecond
	waitFactor = 3
)

// repeat sends a read until it succeeds or may not be repeated. It returns the error of the last try, also if the
// context ends.
func repeat(ctx context.Context, budget *RetryBudget, send func(try int) (*Response, error)) (*Response, error) {
	budget.earn()
	deadline, _ := ctx.Deadline()
	usual := firstWait
	for try := 1; ; try++ {
		response, err := send(try)
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

// waitAfter returns how long to wait after a failed try, and whether another try may succeed in the remaining time.
func waitAfter(err error, usual, remaining time.Duration) (wait time.Duration, again bool) {
	var refused *Error
	if !errors.As(err, &refused) {
		var failure *Failure
		return usual, errors.As(err, &failure) && failure.isTransient && usual < remaining
	}
	wait, asked := retryAfter(refused.RetryAfter, time.Now())
	switch refused.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	case http.StatusTooManyRequests:
		again = asked
	}
	if !asked {
		return usual, again && usual < remaining
	}
	// If the wait is longer than the time left for the try, the caller decides: the error has the Retry-After.
	jitter := rand.N(firstWait)
	return wait + jitter, again && wait <= remaining/2-jitter
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

// isTransientError reports whether an immediate retry may succeed: the connection was refused or broke, without a
// timeout.
func isTransientError(err error) bool {
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

// Limits of a RetryBudget. The floor lets an adapter with few reads recover after an outage.
const (
	retryShare   = 0.1  // retries earned by each read
	retryReserve = 20.0 // retries at the start, and the maximum
	retryFloor   = 1.0  // retries earned per second
)

// RetryBudget limits the retries of all reads that share it, so that callers do not triple the load of a resource
// server that is down: a tenth of the reads, plus one per second, plus twenty (compare gRFC A6 and Site Reliability
// Engineering, chapter 21). Without budget, the first failure is final. Use NewRetryBudget. It is safe for concurrent
// use.
type RetryBudget struct {
	mutex   sync.Mutex
	retries float64 // that are left, from 0 to retryReserve
	updated time.Time
}

// NewRetryBudget returns a new budget with its whole reserve.
func NewRetryBudget() *RetryBudget {
	return &RetryBudget{retries: retryReserve, updated: time.Now()}
}

func (b *RetryBudget) earn() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.retries = min(b.retries+retryShare, retryReserve)
}

func (b *RetryBudget) spend() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	now := time.Now()
	b.retries = min(b.retries+now.Sub(b.updated).Seconds()*retryFloor, retryReserve)
	b.updated = now
	if b.retries < 1 {
		return false
	}
	b.retries--
	return true
}
