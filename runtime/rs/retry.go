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

	"github.com/cenkalti/backoff/v5"
)

// MaxTries is how often one read is sent at most: once, and twice again.
//
// A read is sent again when nothing of an answer can have been used: the connection was refused or broke before a status
// line came, or the answer was 502, 503 or 504, or 429 with a Retry-After. Every try is the same request with the same
// bearer (R-ERR-3), and all together have the time of one. A change, and a read that ran out of time, is never sent
// again; a connection that package http replaces because it was closed meanwhile counts as the same try. Jitter spreads
// callers who failed together, and RetryBudget bounds what all of them cost. A caller waits at most 0.6 s longer for a
// refusal, or as long as Retry-After asks.
const MaxTries = 3

// The waits before the second and the third try are, before jitter of one half, these.
const (
	firstWait  = 100 * time.Millisecond
	waitFactor = 3
)

// repeat runs a read until it has an answer to give. The context bounds all tries, the budget those after the first. When
// there is no further try, the last one's error is the answer, also for a caller who has gone away while this waited.
func repeat(ctx context.Context, budget *RetryBudget, once func(try int) (*Response, error)) (*Response, error) {
	budget.earn()
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.Multiplier = firstWait, waitFactor
	limits := []backoff.RetryOption{backoff.WithBackOff(waits), backoff.WithMaxTries(MaxTries)}
	if deadline, bounded := ctx.Deadline(); bounded {
		limits = append(limits, backoff.WithMaxElapsedTime(max(time.Until(deadline), 1))) // it takes 0 for no limit
	}
	var response *Response
	var last error
	tries := 0
	// The error of the package does not matter: that of the last try says more.
	_, _ = backoff.Retry(ctx, func() (*Response, error) {
		tries++
		response, last = once(tries)
		judged := verdict(ctx, last)
		var final *backoff.PermanentError
		if judged != nil && !errors.As(judged, &final) && tries < MaxTries && !budget.spend() {
			judged = backoff.Permanent(judged)
		}
		return response, judged
	}, limits...)
	return response, last
}

// verdict is the error that makes package backoff stop or go on after a try.
func verdict(ctx context.Context, err error) error {
	var refused *Error
	var failure *Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failure) && failure.passing:
		return err
	case !errors.As(err, &refused):
		return backoff.Permanent(err)
	}
	wait, asked := retryAfter(refused.RetryAfter, time.Now())
	switch refused.Status {
	case http.StatusTooManyRequests:
		if !asked {
			return backoff.Permanent(err)
		}
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if !asked {
			return err
		}
	default:
		return backoff.Permanent(err)
	}
	// A wait that leaves the try less time than itself is the caller's to judge, who is told how long it is.
	if deadline, bounded := ctx.Deadline(); bounded && wait > time.Until(deadline)/2 {
		return backoff.Permanent(err)
	}
	return &backoff.RetryAfterError{Duration: wait + rand.N(firstWait)}
}

// retryAfter reads a Retry-After header (RFC 9110, section 10.2.3): seconds, or an HTTP date. What is neither asks
// for nothing.
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

// isPassing reports whether a request that got no answer failed in a way that may be over at once: a connection that was
// refused or that broke. A name that does not resolve, a certificate that is not trusted and bytes that are no HTTP
// stay as they are, and after a timeout the caller has waited enough.
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

// What reads may be sent again, of all reads that share a RetryBudget. A reserve lets single failures be mended at once, the
// share lets a busy adapter go on with that, and the floor lets one that is hardly used, such as a local server, recover
// after an outage.
const (
	retryShare   = 0.1  // of a further try, earned by each read
	retryReserve = 20.0 // further tries that are there at first, and the most that are ever saved up
	retryFloor   = 1.0  // further tries earned in a second, whatever is read
)

// RetryBudget bounds the tries after the first ones of all reads that share it, so that callers together do not triple the
// load of a resource server that is down: it gets at most a tenth more reads than it is asked, one more a second, and
// twenty (as gRFC A6 and Site Reliability Engineering, chapter 21, have it). When the budget is spent, the first failure
// is the answer. It is made by NewRetryBudget and safe for concurrent use.
type RetryBudget struct {
	mutex  sync.Mutex
	saved  float64 // further tries, from 0 to retryReserve
	counts time.Time
}

// NewRetryBudget makes a budget with its whole reserve.
func NewRetryBudget() *RetryBudget {
	return &RetryBudget{saved: retryReserve, counts: time.Now()}
}

// earn adds what one read brings.
func (b *RetryBudget) earn() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.saved = min(b.saved+retryShare, retryReserve)
}

// spend takes one further try, and reports whether there was one.
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
