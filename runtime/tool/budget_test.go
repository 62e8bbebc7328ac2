package tool_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-SCAN-8: requests that run at the same time never return more records than the call may read, and use all of them.
func TestBudget(t *testing.T) {
	const most = 1_000
	budget := tool.NewReadings(tool.ReadingsOptions{MaxRecords: most}).NewBudget()
	var requested, read atomic.Int64
	var sources sync.WaitGroup
	for source := range 16 {
		sources.Go(func() {
			for {
				err := budget.Read(t.Context(), 100, func(limit int) (int, error) {
					if now := requested.Add(int64(limit)); read.Load()+now > most {
						t.Errorf("%d records are requested after %d were read", now, read.Load())
					}
					records := limit * source / 16 // the rest is given back
					requested.Add(-int64(limit))
					read.Add(int64(max(1, records)))
					return records, nil
				})
				if err != nil {
					if !errors.Is(err, tool.ErrNoRecordsLeft) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	sources.Wait()
	if read.Load() != most {
		t.Errorf("%d records were read, want %d", read.Load(), most)
	}
}

// A request that fails has read nothing, an answer without records counts as one, and a wait for the rest ends with its
// context.
func TestBudgetOfOneRequest(t *testing.T) {
	budget := tool.NewReadings(tool.ReadingsOptions{MaxRecords: 2}).NewBudget()
	failed := errors.New("failed")
	read := func(records int, err error) error {
		return budget.Read(t.Context(), 5, func(int) (int, error) { return records, err })
	}
	if err := read(0, failed); !errors.Is(err, failed) {
		t.Error(err)
	}
	if err := read(0, nil); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := budget.Read(t.Context(), 1, func(int) (int, error) {
		var failure *rs.Failure
		if err := budget.Read(ended, 1, nil); !errors.As(err, &failure) || failure.Reason != rs.Timeout {
			t.Errorf("a wait ends with %v", err)
		}
		return 1, nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := read(1, nil); !errors.Is(err, tool.ErrNoRecordsLeft) {
		t.Errorf("%v, want %v", err, tool.ErrNoRecordsLeft)
	}
	if budget.Discard(1); read(1, nil) != nil {
		t.Error("discarded records are not given back")
	}
}
