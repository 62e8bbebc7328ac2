package tool

import (
	"context"
	"errors"
	"sync"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// ErrNoRecordsLeft is the error of a call that has read as many records as it may.
var ErrNoRecordsLeft = errors.New("the call has read as many records as it may")

// Budget counts the records that the readings of one call request together (R-SCAN-8). It is safe for concurrent use.
type Budget struct {
	mu        sync.Mutex
	left      int
	requested int           // by requests that are not answered
	returned  chan struct{} // closed when a request is answered
}

// NewBudget returns the budget of one call.
func (r *Readings) NewBudget() *Budget {
	return &Budget{left: r.options.MaxRecords, returned: make(chan struct{})}
}

// Read calls request with the number of records that it may request, up to wanted. An answer without records counts as
// one record, and a failed request as none. If other requests have reserved what is left, Read waits for their answers.
// It returns ErrNoRecordsLeft if nothing is left, an *rs.Failure if the context ends, otherwise the error of the
// request.
func (b *Budget) Read(ctx context.Context, wanted int, request func(limit int) (records int, err error)) error {
	limit, err := b.reserve(ctx, wanted)
	if err != nil {
		return err
	}
	records, err := request(limit)
	used := 0
	if err == nil {
		used = max(1, records)
	}
	b.release(limit, limit-used)
	return err
}

// Discard releases the records of an answer that is not used.
func (b *Budget) Discard(records int) { b.release(0, max(1, records)) }

func (b *Budget) release(requested, left int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requested -= requested
	b.left += left
	close(b.returned)
	b.returned = make(chan struct{})
}

func (b *Budget) reserve(ctx context.Context, wanted int) (int, error) {
	for {
		b.mu.Lock()
		limit, returned := min(b.left, wanted), b.returned
		if limit <= 0 && b.requested == 0 {
			b.mu.Unlock()
			return 0, ErrNoRecordsLeft
		}
		if limit > 0 {
			b.left -= limit
			b.requested += limit
			b.mu.Unlock()
			return limit, nil
		}
		b.mu.Unlock()
		select {
		case <-returned:
		case <-ctx.Done():
			return 0, &rs.Failure{Reason: rs.Timeout, Message: "the call ended while it waited for other records", Cause: ctx.Err()}
		}
	}
}
