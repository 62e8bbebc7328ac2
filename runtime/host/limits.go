package host

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Limits limits the requests of one caller (R-HOST-9), identified by the hash of the token. Each message of a batch counts.
type Limits struct {
	Concurrent int     // requests at the same time
	PerSecond  float64 // sustained requests
	Burst      int     // requests at once after a pause; 0 means three seconds' worth, and at least Concurrent
	Callers    int     // whose rate is remembered
}

// DefaultLimits replace zero values of Limits.
var DefaultLimits = Limits{Concurrent: 16, PerSecond: 20, Callers: 10_000}

// burstSeconds is the default burst in seconds of the sustained rate.
const burstSeconds = 3

// limiter limits the callers that were seen last. A forgotten caller starts with a full burst.
type limiter struct {
	limits Limits

	mu    sync.Mutex
	busy  map[string]int // running requests of callers that have any
	paces *lru.Cache[string, *rate.Limiter]
}

func newLimiter(limits Limits) (*limiter, error) {
	limits = Limits{
		Concurrent: cmp.Or(limits.Concurrent, DefaultLimits.Concurrent),
		PerSecond:  cmp.Or(limits.PerSecond, DefaultLimits.PerSecond),
		Burst:      limits.Burst,
		Callers:    cmp.Or(limits.Callers, DefaultLimits.Callers),
	}
	if limits.Burst == 0 {
		limits.Burst = max(limits.Concurrent, int(burstSeconds*limits.PerSecond))
	}
	paces, err := lru.New[string, *rate.Limiter](limits.Callers)
	if err != nil || limits.Concurrent < 1 || limits.PerSecond < 0 || limits.Burst < limits.Concurrent {
		return nil, &OptionError{"Limits", "must be positive, and Burst no less than Concurrent"}
	}
	return &limiter{limits: limits, busy: make(map[string]int), paces: paces}, nil
}

// admit counts requests of a caller as running until release is called, or refuses them with 429.
func (l *limiter) admit(caller string, requests int) (release func(), refused *problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[caller]+requests > l.limits.Concurrent {
		return nil, tooMany(fmt.Sprintf("More than %d requests of this token are running. Wait for their responses.", l.limits.Concurrent), time.Second)
	}
	reserved := l.pace(caller).ReserveN(time.Now(), requests)
	if wait := reserved.Delay(); wait > 0 {
		reserved.Cancel()
		return nil, tooMany(fmt.Sprintf("This token may send %g requests per second. Send the next one later.", l.limits.PerSecond), wait)
	}
	l.busy[caller] += requests
	return func() { l.release(caller, requests) }, nil
}

func (l *limiter) pace(caller string) *rate.Limiter {
	pace, known := l.paces.Get(caller)
	if !known {
		pace = rate.NewLimiter(rate.Limit(l.limits.PerSecond), l.limits.Burst)
		l.paces.Add(caller, pace)
	}
	return pace
}

func (l *limiter) release(caller string, requests int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[caller] -= requests; l.busy[caller] <= 0 {
		delete(l.busy, caller)
	}
}

func tooMany(message string, wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, message: message, retryAfter: wait}
}

// admitMore admits the messages of a batch after the first. A batch with more messages than may run is refused with 413, because waiting
// would not help.
func (l *limiter) admitMore(caller string, messages int) (release func(), refused *problem) {
	switch {
	case messages == 0:
		return func() {}, nil
	case messages >= l.limits.Concurrent:
		return nil, &problem{status: http.StatusRequestEntityTooLarge, message: fmt.Sprintf(
			"The batch has %d messages. Send at most %d at once.", messages+1, l.limits.Concurrent)}
	}
	return l.admit(caller, messages)
}

const (
	// MaxRequestBody limits the body of a request, in bytes (interfaces.md, Hosted routes).
	MaxRequestBody = 256 << 10

	maxBodies          = 64 << 20 // bytes of all bodies in memory (R-HOST-9)
	defaultBodyTimeout = 10 * time.Second
)

// readBody reads a body if there is room for it. A body of unknown length counts as the longest one until it is read. Forget frees the
// room.
func readBody(w http.ResponseWriter, r *http.Request, room *semaphore.Weighted) (body []byte, forget func(), refused *problem) {
	held := r.ContentLength
	if held < 0 {
		held = MaxRequestBody
	}
	if !room.TryAcquire(held) {
		return nil, func() {}, tooMany(fmt.Sprintf("This server reads %d bytes of requests at the same time. Send the request again.", maxBodies), time.Second)
	}
	forget = func() { room.Release(held) }
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequestBody))
	var excess *http.MaxBytesError
	switch {
	case errors.As(err, &excess):
		return nil, forget, tooLarge
	case err != nil:
		return nil, forget, unreadable
	}
	if surplus := held - int64(len(body)); surplus > 0 {
		room.Release(surplus)
		held -= surplus
	}
	return body, forget, nil
}
