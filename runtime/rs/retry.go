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

// MaxTries is how often one read is sent at most: once, and twice again.
//
// A read is sent again when nothing of an answer can have been used: the connection was refused or broke before a status
// line came, or the answer was 502, 503 or 504, or 429 with a Retry-After. Every try is the same request with the same
// bearer (R-ERR-3), and all together have the time of one. A change, and a read that ran out of time, is never sent
// again; a connection that package http replaces because it was closed meanwhile counts as the same try. Jitter spreads
// callers who failed together, and RetryBudget bounds what all of them cost. A caller waits at most 0.6 s longer for a
// refusal, or as long as Retry-After asks.
const MaxTries = 3

// The waits before the second and the third try are these, give or take up to a half.
const (
	firstWait  = 100 * time.Millisecond
	waitFactor = 3
)

// repeat runs a read until it has an answer to give. The context, which has a deadline, bounds all tries, the budget those after
// the first. When there is no further try, the last one's error is the answer, also for a caller who has gone away while this waited.
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

// waitAfter is how long to wait after a failed try, as the server asks or else as usual, and whether a further one may help in
// the time that is left.
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
	// A wait that leaves the try less time than itself is the caller's to judge, who is told how long it is.
	jitter := rand.N(firstWait)
	return wait + jitter, again && wait <= left/2-jitter
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
