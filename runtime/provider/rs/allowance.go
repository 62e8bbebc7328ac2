package rs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
)

// Bounds of the requests of one call, and of the large bodies of a process (R-SCAN-8).
const (
	MaxRequests = 400       // of one call
	maxHeld     = 32 << 20  // bytes of the large bodies that one call holds
	largeBody   = 256 << 10 // bytes; smaller bodies do not count
	largeCalls  = 3         // calls of the process that hold large bodies; others wait
)

// largeTurns are the calls of this process that may hold large bodies. A call takes one turn for all of its bodies, so
// that no call waits for another one while it holds some.
var largeTurns = make(chan struct{}, largeCalls)

// allowance limits the requests of one call together. It is safe for concurrent use.
type allowance struct {
	turn sync.Mutex // held while the call waits for its turn

	mu      sync.Mutex
	sent    int
	hasTurn bool
	held    int64         // bytes, with those reserved for bodies that are being read
	reading int           // large bodies that are being read
	changed chan struct{} // closed when held or reading falls
}

type allowanceKey struct{}

// Bounded returns a context whose requests are those of one call: there may be MaxRequests of them, and their large
// bodies share memory. The call must end it when it no longer uses the responses.
func Bounded(ctx context.Context) (bounded context.Context, end func()) {
	a := &allowance{changed: make(chan struct{})}
	return context.WithValue(ctx, allowanceKey{}, a), a.end
}

// allowanceOf returns the allowance of a context, or nil.
func allowanceOf(ctx context.Context) *allowance {
	a, _ := ctx.Value(allowanceKey{}).(*allowance)
	return a
}

func (a *allowance) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hasTurn {
		<-largeTurns
		a.hasTurn = false
	}
}

// take counts a request. It is false if the call has sent MaxRequests already.
func (a *allowance) take() bool {
	if a == nil {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent++
	return a.sent <= MaxRequests
}

// tooMuchHeldError is a body that does not fit next to the other bodies of its call.
type tooMuchHeldError struct{}

func (tooMuchHeldError) Error() string {
	return fmt.Sprintf("the answers that one call reads take more than %d MiB together", maxHeld>>20)
}

// noTurnError is a call whose time ended before it could hold large bodies.
type noTurnError struct{ cause error }

func (e *noTurnError) Error() string { return e.cause.Error() }

func (e *noTurnError) Unwrap() error { return e.cause }

// awaitTurn waits until the call may hold large bodies.
func (a *allowance) awaitTurn(ctx context.Context) error {
	a.turn.Lock()
	defer a.turn.Unlock()
	a.mu.Lock()
	hasTurn := a.hasTurn
	a.mu.Unlock()
	if hasTurn {
		return nil
	}
	select {
	case largeTurns <- struct{}{}:
	case <-ctx.Done():
		return &noTurnError{ctx.Err()}
	}
	a.mu.Lock()
	a.hasTurn = true
	a.mu.Unlock()
	return nil
}

type awaitKey struct{}

// AwaitMemory returns a context whose requests wait until the call releases other bodies, even if it reads none of them
// any more. The call must release each body before it waits for another one.
func AwaitMemory(ctx context.Context) context.Context {
	return context.WithValue(ctx, awaitKey{}, true)
}

// reserve waits for memory as long as the call reads another body, whose size may turn out to be smaller than what it
// reserved.
func (a *allowance) reserve(ctx context.Context, size int64) error {
	for {
		a.mu.Lock()
		if a.held+size <= maxHeld {
			a.held += size
			a.reading++
			a.mu.Unlock()
			return nil
		}
		isFull, changed := size > maxHeld || a.reading == 0 && ctx.Value(awaitKey{}) == nil, a.changed
		a.mu.Unlock()
		if isFull {
			return tooMuchHeldError{}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// giveBack ends the reading of a body, or its use, and returns memory.
func (a *allowance) giveBack(size int64, hasRead bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= size
	if hasRead {
		a.reading--
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// readWithin reads a body to its end within a limit of bytes. The expected size, which may be negative, saves growing
// the buffer. A body of more than largeBody bytes is read in the turn of its call, with memory for up to most bytes.
// Counted is the number of bytes that the call then holds for it.
func (a *allowance) readWithin(ctx context.Context, source io.Reader, expected, most, limit int64) (body []byte, counted int64, err error) {
	if a == nil || limit <= largeBody {
		body, err = readAll(source, expected, limit)
		return body, 0, err
	}
	var beginning bytes.Buffer
	beginning.Grow(int(min(max(expected, 0), largeBody)) + bytes.MinRead)
	if _, err := beginning.ReadFrom(io.LimitReader(source, largeBody+1)); err != nil || beginning.Len() <= largeBody {
		return beginning.Bytes(), 0, err
	}
	if err := a.awaitTurn(ctx); err != nil {
		return nil, 0, err
	}
	if err := a.reserve(ctx, most); err != nil {
		return nil, 0, err
	}
	body, err = readAll(io.MultiReader(&beginning, source), expected, min(limit, most))
	counted = int64(len(body))
	a.giveBack(most-counted, true)
	return body, counted, err
}
