package tool

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
)

// Limits of the records that calls read in place of a refused query (R-SCAN-8).
const (
	DefaultReadOn  = 20_000           // records of one call
	ReadOnTime     = 15 * time.Second // of the 25 s of a call
	callerReadings = 2                // concurrent readings of one caller

	// refusalTime is the retention time of a provider's refusal of filters. It is long enough for a conversation, and
	// short enough to notice an update of the provider.
	refusalTime = 5 * time.Minute

	indexTime = time.Minute // until the state of a search index is read again

	stopTime = 5 * time.Minute
	maxStops = 1_000

	linksTime = 5 * time.Minute // until the links of a stream are read again
	maxLinks  = 10_000          // streams of callers

	maxCallers = 10_000 // more than read at the same time
)

// Readings bounds the records that calls read in place of a refused query (R-SCAN-8). It remembers which providers
// refuse. All calls of a process share one. It holds no records: only the names of callers and, for some minutes, the
// cursors where their aggregates stopped and the links of streams. It is safe for concurrent use.
type Readings struct {
	options ReadingsOptions

	mu      sync.Mutex
	refused map[string]time.Time                    // when the refusal expires, by the provider's origin
	indexes map[string]index                        // by the provider's origin and the kind of the index
	callers *lru.Cache[string, *semaphore.Weighted] // the slots of each caller
	stops   *lru.Cache[[2]string, stop]
	links   *lru.Cache[LinksKey, links]
}

// stop is the position at which an aggregate stopped. An aggregate has no cursor, so the call that continues it finds
// the position by its question.
type stop struct {
	cursor  string
	expires time.Time
}

// index is the state of a search index.
type index struct {
	state   string
	expires time.Time
}

// LinksKey names a stream of a connection as a caller sees it.
type LinksKey struct{ Caller, ConnectionID, Stream string }

// links are the links of a stream.
type links struct {
	answer.StreamLinks
	expires time.Time
}

// ReadingsOptions configures Readings.
type ReadingsOptions struct {
	MaxRecords int                                           // records of one call
	Observe    func(context.Context, string, answer.Reading) // called with the kind of each reading that ended; may be nil
	Now        func() time.Time                              // nil: time.Now
}

// NewReadings returns nil if calls may read no records.
func NewReadings(options ReadingsOptions) *Readings {
	if options.MaxRecords < 1 {
		return nil
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	stops, _ := lru.New[[2]string, stop](maxStops) // fails only for a size that is not positive
	callers, _ := lru.New[string, *semaphore.Weighted](maxCallers)
	links, _ := lru.New[LinksKey, links](maxLinks)
	return &Readings{
		options: options, stops: stops, refused: map[string]time.Time{}, indexes: map[string]index{}, callers: callers, links: links,
	}
}

// MaxRecords returns the maximum number of records that one call may read.
func (r *Readings) MaxRecords() int { return r.options.MaxRecords }

// Refuses reports whether all of the providers, at least one, are known to refuse filters.
func (r *Readings) Refuses(providers []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(providers) > 0 && !slices.ContainsFunc(providers, func(origin string) bool { return !r.options.Now().Before(r.refused[origin]) })
}

// NoteRefusal remembers for some minutes that the providers refuse filters.
func (r *Readings) NoteRefusal(providers []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, origin := range providers {
		r.refused[origin] = r.options.Now().Add(refusalTime)
	}
}

// IndexState returns the state of a search index: the remembered one, or the one that read returns. It is empty if read
// fails. The receiver may be nil.
func (r *Readings) IndexState(name string, read func() (string, error)) string {
	if r == nil {
		state, _ := read() // empty after an error
		return state
	}
	r.mu.Lock()
	known, isKnown := r.indexes[name]
	r.mu.Unlock()
	if isKnown && r.options.Now().Before(known.expires) {
		return known.state
	}
	state, err := read()
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.indexes[name] = index{state, r.options.Now().Add(indexTime)}
	}
	return state
}

// StreamLinks returns the links of a stream: the remembered ones, or those that read returns. They are empty if read
// fails. The receiver may be nil.
func (r *Readings) StreamLinks(key LinksKey, read func() (answer.StreamLinks, error)) answer.StreamLinks {
	if r == nil {
		found, _ := read() // empty after an error
		return found
	}
	if known, found := r.links.Get(key); found && r.options.Now().Before(known.expires) {
		return known.StreamLinks
	}
	found, err := read()
	if err == nil {
		r.links.Add(key, links{found, r.options.Now().Add(linksTime)})
	}
	return found
}

// Begin waits until a caller may read, and returns the function that ends the reading. It returns an *Error if the
// context ends first.
func (r *Readings) Begin(ctx context.Context, caller string) (end func(), err error) {
	slots := r.slotsOf(caller)
	if err := slots.Acquire(ctx, 1); err != nil {
		return nil, &Error{
			Code:    RateLimitExceeded,
			Message: "two calls of this token are reading records already; call again when they are answered",
			Cause:   err,
		}
	}
	return func() { slots.Release(1) }, nil
}

// TryBegin starts a second reading of a caller if that is possible without waiting.
func (r *Readings) TryBegin(caller string) (end func(), ok bool) {
	slots := r.slotsOf(caller)
	return func() { slots.Release(1) }, slots.TryAcquire(1)
}

func (r *Readings) slotsOf(caller string) *semaphore.Weighted {
	r.mu.Lock()
	defer r.mu.Unlock()
	slots, found := r.callers.Get(caller)
	if !found {
		slots = semaphore.NewWeighted(callerReadings)
		r.callers.Add(caller, slots)
	}
	return slots
}

// NoteStop remembers for some minutes the cursor at which the answer to a caller's question begins.
func (r *Readings) NoteStop(caller, question, cursor string) {
	r.stops.Add([2]string{caller, question}, stop{cursor, r.options.Now().Add(stopTime)})
}

// Stop returns the cursor at which the answer to a caller's question begins, or "" if it is unknown.
func (r *Readings) Stop(caller, question string) string {
	if kept, found := r.stops.Get([2]string{caller, question}); found && r.options.Now().Before(kept.expires) {
		return kept.cursor
	}
	return ""
}

// Observe reports a reading that ended. The kind is from a closed set.
func (r *Readings) Observe(ctx context.Context, kind string, reading answer.Reading) {
	if r.options.Observe != nil {
		r.options.Observe(ctx, kind, reading)
	}
}
