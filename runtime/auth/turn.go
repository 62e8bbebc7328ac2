package auth

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"
)

// Bounds of what a flood of made-up tokens can cause: each of them is asked about once.
const (
	// DefaultConcurrency is how many introspections run at once.
	DefaultConcurrency = 64

	// turnWait is how long a token waits for its turn before it is refused with 503. It lets an honest
	// burst through, and ends far sooner than the introspections of an authorization server that hangs.
	turnWait = time.Second
)

// errBusy is the cause of a refusal while too many introspections are under way.
var errBusy = errors.New("too many introspections are under way; the token waited for its turn in vain")

// turns bounds how many introspections run at once. It is safe for concurrent use.
type turns struct{ free *semaphore.Weighted }

func newTurns(concurrency int) turns {
	return turns{semaphore.NewWeighted(int64(concurrency))}
}

// take waits for a turn, at most turnWait, and gives what ends it. Its error is errBusy, or the context's.
func (t turns) take(ctx context.Context) (end func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	if t.free.Acquire(waiting, 1) != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errBusy
	}
	return func() { t.free.Release(1) }, nil
}
