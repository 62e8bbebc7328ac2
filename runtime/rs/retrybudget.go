package rs

import (
	"sync"
	"time"
)

// What reads may be sent again, of all reads that share a RetryBudget. A reserve lets single failures be mended at once, the
// share lets a busy adapter go on with that, and the floor lets one that is hardly used, such as a local server, recover
// after an outage.
const (
	retryShare   = 0.1  // of a further try, earned by each read
	retryReserve = 20.0 // further tries that are there at first, and the most that are ever saved up
	retryFloor   = 1.0  // further tries earned in a second, whatever is read
)

// RetryBudget bounds the tries after the first ones of all reads that share it, so that callers together do not
// triple the load of a resource server that is down: in an outage of some seconds it gets at most a tenth more reads than it
// is asked, one more for each second, and twenty. When the budget is spent, the first failure is the answer. It is
// made by NewRetryBudget and safe for concurrent use.
//
// The idea is that of gRPC's retry throttling (gRFC A6) and of the client throttling in Google's Site Reliability
// Engineering, chapter 21: a share of what is asked, not a number for each call.
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

// spend takes one further try, or tells that there is none.
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
