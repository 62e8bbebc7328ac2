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

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Limits limits the requests of one caller (R-HOST-9), identified by the hash of the token. Each message of a batch
// counts.
type Limits struct {
	Concurrent int     // requests at the same time
	PerSecond  float64 // sustained requests
	Burst      int     // requests at once after a pause; 0 means three seconds' worth, and at least Concurrent
	Callers    int     // callers that are remembered
}

// DefaultLimits replace zero values of Limits.
var DefaultLimits = Limits{Concurrent: 16, PerSecond: 20, Callers: 10_000}

// limiter limits the most recent callers. A forgotten caller starts with a full burst and no running request.
type limiter struct {
	limits  Limits
	mu      sync.Mutex // guards running
	callers *lru.Cache[string, *limited]
}

type limited struct {
	rate    *rate.Limiter
	running int // requests
}

func newLimiter(limits Limits) (*limiter, error) {
	limits.Concurrent = cmp.Or(limits.Concurrent, DefaultLimits.Concurrent)
	limits.PerSecond = cmp.Or(limits.PerSecond, DefaultLimits.PerSecond)
	limits.Burst = cmp.Or(limits.Burst, max(limits.Concurrent, int(3*limits.PerSecond)))
	limits.Callers = cmp.Or(limits.Callers, DefaultLimits.Callers)
	callers, err := lru.New[string, *limited](limits.Callers)
	if err != nil || limits.Concurrent < 1 || limits.PerSecond < 0 || limits.Burst < limits.Concurrent {
		return nil, &rs.OptionError{Option: "Limits", Message: "must be positive, and Burst no less than Concurrent"}
	}
	return &limiter{limits: limits, callers: callers}, nil
}

// admit counts requests of a caller as running until release is called. It refuses them with 429 if they exceed a
// limit.
func (l *limiter) admit(caller string, requests int) (release func(), refused *problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	state, isKnown := l.callers.Get(caller)
	if !isKnown {
		state = &limited{rate: rate.NewLimiter(rate.Limit(l.limits.PerSecond), l.limits.Burst)}
		l.callers.Add(caller, state)
	}
	if state.running+requests > l.limits.Concurrent {
		return nil, tooMany(fmt.Sprintf("More than %d requests of this token are running. Wait for their responses.", l.limits.Concurrent), time.Second)
	}
	reserved := state.rate.ReserveN(time.Now(), requests)
	if wait := reserved.Delay(); wait > 0 {
		reserved.Cancel()
		return nil, tooMany(fmt.Sprintf("This token may send %g requests per second. Send the next one later.", l.limits.PerSecond), wait)
	}
	state.running += requests
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		state.running -= requests
	}, nil
}

func tooMany(message string, wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, message: message, retryAfter: wait}
}

// admitMore admits the messages of a batch after the first. Waiting would not help a batch over the limit: it gets 413.
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
	// MaxRequestBody limits the body of a request, in bytes (docs/interfaces.md, Hosted routes).
	MaxRequestBody = 256 << 10

	maxBodies          = 64 << 20 // bytes of all bodies in memory (R-HOST-9)
	defaultBodyTimeout = 10 * time.Second
)

// readBody reads a body, unless all bodies together would exceed maxBodies. Until it is read, a body of unknown length
// counts as MaxRequestBody. The caller must call forget.
func readBody(w http.ResponseWriter, r *http.Request, bodies *semaphore.Weighted) (body []byte, forget func(), refused *problem) {
	reserved := r.ContentLength
	if reserved < 0 {
		reserved = MaxRequestBody
	}
	if !bodies.TryAcquire(reserved) {
		return nil, func() {}, tooMany(fmt.Sprintf("The server is reading too many requests (limit: %d bytes). Send this request again.", maxBodies), time.Second)
	}
	forget = func() { bodies.Release(reserved) }
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequestBody))
	if excess := new(*http.MaxBytesError); errors.As(err, excess) {
		return nil, forget, tooLarge
	}
	if err != nil {
		return nil, forget, unreadable
	}
	if surplus := reserved - int64(len(body)); surplus > 0 {
		bodies.Release(surplus)
		reserved -= surplus
	}
	return body, forget, nil
}
