package rs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Bounds of the requests of one call, and of the bodies of a process (R-SCAN-8). Bodies of up to smallBody bytes do not
// count, because most calls have no larger ones.
const (
	MaxRequests = 400      // of one call
	maxHeld     = 24 << 20 // bytes of the bodies that one call holds
	smallBody   = 64 << 10 // bytes
)

// turns are the calls of this process that hold bodies: 96 MiB in all. A call has one turn for all of its bodies, and
// may have a turn while it waits for a larger one. A call with the largest turn waits for no other call.
var turns = []turn{
	{512 << 10, make(chan struct{}, 32)},
	{4 << 20, make(chan struct{}, 8)},
	{maxHeld, make(chan struct{}, 2)},
}

// turn is a number of bytes, and the calls that may hold them.
type turn struct {
	bytes int64
	calls chan struct{}
}

// allowance limits the requests of one call together. It is safe for concurrent use.
type allowance struct {
	waiting chan struct{} // full while the call waits for a turn

	mu      sync.Mutex
	sent    int
	turn    int           // index in turns, or -1
	ended   bool          // no request may have a turn any more
	held    int64         // bytes, with those reserved for bodies that are being read
	reading int           // bodies that are being read
	growing int           // bodies that are being read and wait for more memory
	changed chan struct{} // closed when held or reading falls
}

type allowanceKey struct{}

// Bounded returns a context whose requests are those of one call: there may be MaxRequests of them, and their bodies
// share memory. The call must end it when it no longer uses the responses.
func Bounded(ctx context.Context) (bounded context.Context, end func()) {
	a := &allowance{turn: -1, waiting: make(chan struct{}, 1), changed: make(chan struct{})}
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
	a.setTurn(-1)
	a.ended = true
}

// setTurn ends the turn of the call, and notes its next one. The caller holds mu.
func (a *allowance) setTurn(next int) {
	if a.turn >= 0 {
		<-turns[a.turn].calls
	}
	a.turn = next
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

// noTurnError is a call whose time ended before it had a turn.
type noTurnError struct{ cause error }

func (e *noTurnError) Error() string { return e.cause.Error() }

func (e *noTurnError) Unwrap() error { return e.cause }

// awaitTurn waits until the call has a turn.
func (a *allowance) awaitTurn(ctx context.Context, wanted int) error {
	select {
	case a.waiting <- struct{}{}:
	case <-ctx.Done():
		return &noTurnError{ctx.Err()}
	}
	defer func() { <-a.waiting }()
	a.mu.Lock()
	hasTurn := a.turn >= wanted
	a.mu.Unlock()
	if hasTurn {
		return nil
	}
	select {
	case turns[wanted].calls <- struct{}{}:
	case <-ctx.Done():
		return &noTurnError{ctx.Err()}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.setTurn(wanted)
	if a.ended {
		a.setTurn(-1)
		return &noTurnError{context.Canceled}
	}
	return nil
}

type awaitKey struct{}

// AwaitMemory returns a context whose requests wait until the call releases other bodies, even if it reads none of them
// any more. The call must release each body before it waits for another one.
func AwaitMemory(ctx context.Context) context.Context {
	return context.WithValue(ctx, awaitKey{}, true)
}

func awaitsMemory(ctx context.Context) bool { return ctx.Value(awaitKey{}) != nil }

// reserve waits for a turn, and for memory as long as the call reads another body, which may turn out to be smaller
// than what it reserved. A body that is being read already grows. If all bodies wait to grow, the last one fails.
func (a *allowance) reserve(ctx context.Context, size int64, isGrowing bool) error {
	for {
		a.mu.Lock()
		wanted := slices.IndexFunc(turns, func(t turn) bool { return a.held+size <= t.bytes })
		fits := wanted >= 0
		if fits && a.turn >= wanted {
			defer a.mu.Unlock()
			a.held += size
			if !isGrowing {
				a.reading++
			}
			return nil
		}
		if fits {
			a.mu.Unlock()
			if err := a.awaitTurn(ctx, wanted); err != nil {
				return err
			}
			continue
		}
		if isGrowing {
			a.growing++
		}
		isFull, changed := size > maxHeld || a.reading == a.growing && (isGrowing || !awaitsMemory(ctx)), a.changed
		a.mu.Unlock()
		var err error
		if isFull {
			err = tooMuchHeldError{}
		} else {
			select {
			case <-changed:
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if isGrowing {
			a.mu.Lock()
			a.growing--
			a.mu.Unlock()
		}
		if err != nil {
			return err
		}
	}
}

// giveBack ends the reading of a body, or its use, and returns memory. Without bodies, the turn of the call ends.
func (a *allowance) giveBack(size int64, hasRead bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= size
	if hasRead {
		a.reading--
	}
	if a.held == 0 && a.reading == 0 {
		a.setTurn(-1)
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// readWithin reads a body to its end within a limit of bytes. The announced length is negative if it is unknown, and
// the expected one saves copies. Counted is the number of bytes that the call then holds for the body.
func (a *allowance) readWithin(
	ctx context.Context, source io.Reader, announced, expected, limit int64,
) (body []byte, counted int64, err error) {
	if a == nil {
		body, err = readAll(source, expected, limit, func(int64) error { return nil })
		return body, 0, err
	}
	former := int64(0) // of the buffer before, which has been copied
	body, err = readAll(source, expected, limit, func(size int64) error {
		if counted == 0 && size <= smallBody {
			return nil
		}
		if announced < 0 && awaitsMemory(ctx) {
			if counted > 0 {
				return nil
			}
			size = limit // at once, so that it does not fail later
		}
		if former > 0 {
			a.giveBack(former, false)
			counted -= former
		}
		former = counted
		err := a.reserve(ctx, size, counted > 0)
		if err == nil {
			counted += size
		}
		return err
	})
	if counted > 0 {
		used := min(int64(cap(body)), counted)
		a.giveBack(counted-used, true)
		counted = used
	}
	return body, counted, err
}
