package tool

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Bounds of what one call reads for itself (R-SCAN-8).
const (
	DefaultReadOn = 20_000           // records
	ReadOnTime    = 15 * time.Second // of the 25 s of a call
	readOnAtOnce  = 2                // readings of one caller

	// refusalKept is how long it is remembered that a provider refuses filters: long enough that a conversation asks it once, and
	// short enough that a provider which begins to answer them is noticed.
	refusalKept = 5 * time.Minute

	// An aggregate has no cursor. The call for its rest finds by its question where the reading stopped, else it reads from the
	// beginning again.
	stopKept  = 5 * time.Minute
	stopsMost = 1_000
)

// Readings bounds what calls read themselves when a resource server refuses a query (R-SCAN-8), and remembers what it refuses. All
// calls of a process share one. It has no records. For a caller it has a name, and for some minutes the cursors where its aggregates
// stopped. It is safe for concurrent use.
type Readings struct {
	options ReadingsOptions

	mu      sync.Mutex
	refused map[string]time.Time // until when it is remembered, by the provider's origin
	callers map[string]*turns
	stops   *lru.Cache[[2]string, stop]
}

// stop is where an aggregate stopped: the place in the list, as its reader spells it, and until when it is kept.
type stop struct {
	place string
	until time.Time
}

// turns are the readings of one caller.
type turns struct {
	free *semaphore.Weighted
	held int // by readings under way, and by those that wait
}

// ReadingsOptions configures Readings.
type ReadingsOptions struct {
	Most    int                                       // records of one call
	Observe func(context.Context, string, rs.Reading) // told of each reading that ended and of its kind, from a closed set; may be nil
	Now     func() time.Time                          // nil: time.Now
}

// NewReadings gives nil, with which calls never read for themselves, unless they may read a record.
func NewReadings(options ReadingsOptions) *Readings {
	if options.Most < 1 {
		return nil
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	stops, _ := lru.New[[2]string, stop](stopsMost) // its error says that the size is not positive
	return &Readings{options: options, stops: stops, refused: map[string]time.Time{}, callers: map[string]*turns{}}
}

// Most is how many records one call may read.
func (r *Readings) Most() int { return r.options.Most }

// Refuses reports whether all of the providers, at least one, are known to refuse filters to tokens of clients.
func (r *Readings) Refuses(providers []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(providers) > 0 && !slices.ContainsFunc(providers, func(each string) bool { return !r.options.Now().Before(r.refused[each]) })
}

// NoteRefusal remembers for some minutes that all of the providers refuse filters.
func (r *Readings) NoteRefusal(providers []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, each := range providers {
		r.refused[each] = r.options.Now().Add(refusalKept)
	}
}

// Begin waits for a caller's turn to read, and gives what ends it. Its error is an *Error: the context ended first.
func (r *Readings) Begin(ctx context.Context, caller string) (end func(), err error) {
	r.mu.Lock()
	of := r.callers[caller]
	if of == nil {
		of = &turns{free: semaphore.NewWeighted(readOnAtOnce)}
		r.callers[caller] = of
	}
	of.held++
	r.mu.Unlock()
	if err := of.free.Acquire(ctx, 1); err != nil {
		r.leave(caller, of)
		return nil, &Error{
			Code:    RateLimitExceeded,
			Message: "two calls of this token are reading records already; call again when they are answered",
			Cause:   err,
		}
	}
	return func() { of.free.Release(1); r.leave(caller, of) }, nil
}

// BeginBeside starts a second reading of a caller if one is allowed, and returns the function that ends it.
func (r *Readings) BeginBeside(caller string) (end func(), begun bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.callers[caller]
	if of == nil || !of.free.TryAcquire(1) {
		return nil, false
	}
	of.held++
	return func() { of.free.Release(1); r.leave(caller, of) }, true
}

func (r *Readings) leave(caller string, of *turns) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of.held--; of.held == 0 {
		delete(r.callers, caller)
	}
}

// NoteStop remembers for some minutes where the answer to a caller's question begins in a list.
func (r *Readings) NoteStop(caller, question, place string) {
	r.stops.Add([2]string{caller, question}, stop{place, r.options.Now().Add(stopKept)})
}

// Stop is where the answer to a caller's question begins; empty: unknown.
func (r *Readings) Stop(caller, question string) string {
	if kept, found := r.stops.Get([2]string{caller, question}); found && r.options.Now().Before(kept.until) {
		return kept.place
	}
	return ""
}

// Observe tells that a reading ended. The kind is from a closed set.
func (r *Readings) Observe(ctx context.Context, kind string, reading rs.Reading) {
	if r.options.Observe != nil {
		r.options.Observe(ctx, kind, reading)
	}
}
