package connect

import (
	"context"
	"errors"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// How polling behaves. The default interval and the step of slow_down are those of RFC 8628, sections 3.2 and 3.5.
const (
	defaultInterval = 5 * time.Second
	slowDownStep    = 5 * time.Second
	longestInterval = 5 * time.Minute
	defaultExpiry   = 5 * time.Minute
	longestExpiry   = 24 * time.Hour
	longestLife     = 100 * 365 * 24 * time.Hour // of a token

	// mostFailures is how many polls in a row may fail on the way before the waiting ends.
	mostFailures = 5
)

// waiting is the pace of polls. An interval never gets shorter.
type waiting struct {
	interval  time.Duration
	expiresAt time.Time
	failures  int // in a row
}

// newWaiting takes the numbers of an answer, in seconds. What is missing or makes no sense gets a default.
func newWaiting(began time.Time, interval, expiresIn int64) *waiting {
	w := &waiting{interval: defaultInterval, expiresAt: began.Add(defaultExpiry)}
	if interval > 0 {
		w.interval = seconds(interval, longestInterval)
	}
	if expiresIn > 0 {
		w.expiresAt = began.Add(seconds(expiresIn, longestExpiry))
	}
	return w
}

// seconds is a number of seconds, up to a bound.
func seconds(count int64, most time.Duration) time.Duration {
	if count > int64(most/time.Second) {
		return most
	}
	return time.Duration(count) * time.Second
}

// pause waits for the time of the next poll. It gives ErrExpired when there is none before the expiry.
func (w *waiting) pause(ctx context.Context) error {
	// A connection that fails is tried more and more seldom (RFC 8628, section 3.5).
	timer := time.NewTimer(w.interval << w.failures)
	defer timer.Stop()
	expiry := time.NewTimer(time.Until(w.expiresAt))
	defer expiry.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-expiry.C:
		return ErrExpired
	case <-timer.C:
		return nil
	}
}

// failed counts a poll that got no answer. It tells whether to try again.
func (w *waiting) failed(err error) bool {
	var failure *credential.Error
	w.failures++
	return errors.As(err, &failure) && failure.Class == credential.Unreachable && w.failures < mostFailures
}

// slower takes the server's wish into account: it asked to slow down, or named an interval in seconds.
func (w *waiting) slower(slowDown bool, interval int64) {
	wanted := seconds(interval, longestInterval)
	if slowDown {
		wanted = max(wanted, w.interval+slowDownStep)
	}
	w.interval = min(max(w.interval, wanted), longestInterval)
}
