package host

import (
	"cmp"
	"fmt"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
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

// oneSecond is what a caller waits whose other requests are still under way.
const oneSecond = time.Second

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
	if limits.Concurrent < 1 || limits.PerSecond < 0 || limits.Burst < limits.Concurrent || limits.Callers < 1 {
		return nil, &OptionError{"Limits", "must be positive, and Burst no less than Concurrent"}
	}
	paces, err := lru.New[string, *rate.Limiter](limits.Callers)
	if err != nil {
		return nil, fmt.Errorf("remember the pace of callers: %w", err)
	}
	return &limiter{limits: limits, busy: make(map[string]int), paces: paces}, nil
}

// admit takes a request of a caller in before anything of it is read, or refuses it with 429. It is under way until release is
// called.
func (l *limiter) admit(caller string) (release func(), refused *problem) { return l.take(caller, 1) }

// admitMore takes in the further messages of a batch, whose first one counts as its request.
func (l *limiter) admitMore(caller string, messages int) (release func(), refused *problem) {
	switch {
	case messages == 0:
		return func() {}, nil
	case messages >= l.limits.Concurrent:
		return nil, l.tooLongBatch(messages + 1)
	}
	return l.take(caller, messages)
}

func (l *limiter) take(caller string, requests int) (release func(), refused *problem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy[caller]+requests > l.limits.Concurrent {
		return nil, tooMany(fmt.Sprintf("More than %d requests of this token are under way. Wait for their answers.", l.limits.Concurrent), oneSecond)
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
	return &problem{
		status: http.StatusTooManyRequests, kind: "rate_limit_error", code: string(tool.RateLimitExceeded), message: message, retryAfter: wait,
	}
}

// tooLongBatch: waiting would not help.
func (l *limiter) tooLongBatch(messages int) *problem {
	return &problem{
		status: http.StatusRequestEntityTooLarge, kind: "invalid_request_error", code: CodeRequestTooLarge,
		message: fmt.Sprintf("The batch has %d messages. Send at most %d at once.", messages, l.limits.Concurrent),
	}
}
