package host

import (
	"context"
	"sync"
)

// inFlight counts the requests under way, so that a server that ends can wait for their answers.
type inFlight struct {
	mu    sync.Mutex
	count int
	ended chan struct{} // closed and replaced whenever the count comes to zero
}

func newInFlight() *inFlight { return &inFlight{ended: make(chan struct{})} }

// enter counts a request until leave is called.
func (f *inFlight) enter() (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	return f.leave
}

func (f *inFlight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count--; f.count == 0 {
		close(f.ended)
		f.ended = make(chan struct{})
	}
}

// wait returns when nothing is under way, or with the context's error when that ends first.
func (f *inFlight) wait(ctx context.Context) error {
	f.mu.Lock()
	count, ended := f.count, f.ended
	f.mu.Unlock()
	if count == 0 {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
