package toolcall

import (
	"context"
	"sync"
)

// InFlight counts requests, so that a server that ends can wait for them.
type InFlight struct {
	mu    sync.Mutex
	count int
	idle  chan struct{} // closed and replaced whenever the count reaches zero
}

// NewInFlight returns a new InFlight.
func NewInFlight() *InFlight { return &InFlight{idle: make(chan struct{})} }

// Enter counts a request until leave is called.
func (f *InFlight) Enter() (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	return f.leave
}

func (f *InFlight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count--; f.count == 0 {
		close(f.idle)
		f.idle = make(chan struct{})
	}
}

// Wait returns when no request is in flight, or when the context ends.
func (f *InFlight) Wait(ctx context.Context) {
	f.mu.Lock()
	count, idle := f.count, f.idle
	f.mu.Unlock()
	if count == 0 {
		return
	}
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
