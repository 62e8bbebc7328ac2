// Package fairshare divides a resource between callers. What one caller waits for does not delay another caller's first
// share.
package fairshare

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Share is an amount of a resource, and the part that each caller may use at the same time. It is safe for concurrent
// use.
type Share struct {
	waiting *semaphore.Weighted // first come, first served; each caller waits here for no more than its part
	all     int64
	part    int64
	mu      sync.Mutex
	callers map[string]*caller
}

type caller struct {
	part  *semaphore.Weighted
	users int // acquired or waiting
}

// New returns a Share of a resource. The part of a caller must be as large as its largest request. A caller without a
// name is the only one of its process, and its part is everything.
func New(all, part int64) *Share {
	return &Share{waiting: semaphore.NewWeighted(all), all: all, part: part, callers: map[string]*caller{}}
}

// Acquire waits until a caller may use n of its part, and returns the function that releases them. It returns the
// context's error if the context ends first.
func (s *Share) Acquire(ctx context.Context, name string, n int64) (release func(), err error) {
	part := s.enter(name)
	if err := part.Acquire(ctx, n); err != nil {
		s.leave(name)
		return nil, err
	}
	if err := s.waiting.Acquire(ctx, n); err != nil {
		part.Release(n)
		s.leave(name)
		return nil, err
	}
	return func() {
		s.waiting.Release(n)
		part.Release(n)
		s.leave(name)
	}, nil
}

func (s *Share) enter(name string) *semaphore.Weighted {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.callers[name]
	if c == nil {
		c = &caller{part: semaphore.NewWeighted(s.part)}
		if name == "" {
			c.part = semaphore.NewWeighted(s.all)
		}
		s.callers[name] = c
	}
	c.users++
	return c.part
}

func (s *Share) leave(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.callers[name].users--; s.callers[name].users == 0 {
		delete(s.callers, name)
	}
}
