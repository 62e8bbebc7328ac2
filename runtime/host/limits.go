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

// Limits bounds what one caller may ask for (R-HOST-9). Callers are told apart by the hash of their token. A
// batch counts as many requests as it has messages.
type Limits struct {
	Concurrent int     // requests at the same time
	PerSecond  float64 // requests in the long run
	Burst      int     // requests at once after a pause; 0 means three seconds' worth, and at least Concurrent
	Callers    int     // whose pace is remembered
}

// DefaultLimits stand where Limits has a zero.
var DefaultLimits = Limits{Concurrent: 16, PerSecond: 20, Callers: 10_000}

// burstSeconds is how much of a caller's pace may come at once.
const burstSeconds = 3

// limiter keeps the pace of the callers that were seen last. A caller that is forgotten begins anew, as
// after a pause.
type limiter struct {
	limits Limits

	mu    sync.Mutex
	busy  map[string]int // requests under way; callers without any are left out
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

// admit counts requests of a caller as under way until release is called, or refuses them with 429.
func (l *limiter) admit(caller string, requests int) (release func(), refused *problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[caller]+requests > l.limits.Concurrent {
		return nil, tooMany(fmt.Sprintf("More than %d requests of this token are under way. Wait for their answers.", l.limits.Concurrent), time.Second)
	}
	reserved := l.pace(caller).ReserveN(time.Now(), requests)
	if wait := reserved.Delay(); wait > 0 {
		reserved.Cancel()
		return nil, tooMany(fmt.Sprintf("This token may send %g requests each second. Send the next one later.", l.limits.PerSecond), wait)
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

// admitMore admits the messages of a batch after the first, which counts as the request. A batch with more messages than may be
// under way is refused with 413, since waiting would not help.
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
	// MaxRequestBody bounds the body of a request, in bytes (interfaces.md, Hosted routes).
	MaxRequestBody = 256 << 10

	// bodiesMost bounds the bodies that are held at the same time, of all callers, in bytes (R-HOST-9).
	bodiesMost = 64 << 20

	// bodyWithin is how long a client may take to send a body, unless the options say otherwise.
	bodyWithin = 10 * time.Second
)

// readBody reads a whole body if there is room for it. A body of unknown length counts as the longest one until it is read.
// Forget frees the room.
func readBody(w http.ResponseWriter, r *http.Request, room *semaphore.Weighted) (body []byte, forget func(), refused *problem) {
	held := r.ContentLength
	if held < 0 {
		held = MaxRequestBody
	}
	if !room.TryAcquire(held) {
		return nil, func() {}, tooMany(fmt.Sprintf("This server reads %d bytes of requests at the same time. Send the request again.", bodiesMost), time.Second)
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
