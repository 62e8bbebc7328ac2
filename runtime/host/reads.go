package host

import (
	"slices"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// mostSums bounds how many kinds of requests of one call are told apart: reading on sends hundreds, of a few kinds.
const mostSums = 8

// readSum adds up those requests of one call to the resource server that have template and status in common.
type readSum struct {
	Template   string  `json:"url"`
	Status     int     `json:"status"` // 0: no answer
	Requests   int     `json:"requests"`
	Again      int     `json:"again"`       // of them, those that were not the first try of their read
	DurationMS float64 `json:"duration_ms"` // of all, some of which may have run at the same time
	LongestMS  float64 `json:"longest_ms"`
	Bytes      int64   `json:"bytes"`
}

// milliseconds returns a duration for a log, to the microsecond. The JSON log would write a time.Duration as nanoseconds, without
// a unit.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reads collects the requests of one call. The zero value is empty; it is safe for concurrent use.
type reads struct {
	mu    sync.Mutex
	first [1]readSum // where the sums begin: most calls send one kind of request, and allocate nothing for it
	sums  []readSum
	rest  int // requests of more kinds than mostSums
}

func (r *reads) add(sent rs.Sent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sums == nil {
		r.sums = r.first[:0]
	}
	place := slices.IndexFunc(r.sums, func(each readSum) bool { return each.Template == sent.Template && each.Status == sent.Status })
	switch {
	case place >= 0:
	case len(r.sums) == mostSums:
		r.rest++
		return
	default:
		place = len(r.sums)
		r.sums = append(r.sums, readSum{Template: sent.Template, Status: sent.Status})
	}
	sum := &r.sums[place]
	sum.Requests++
	if sent.Try > 1 {
		sum.Again++
	}
	sum.DurationMS += milliseconds(sent.Took)
	sum.LongestMS = max(sum.LongestMS, milliseconds(sent.Took))
	sum.Bytes += sent.Bytes
}

// all are the sums, and how many requests are in none of them.
func (r *reads) all() (sums []readSum, rest int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sums), r.rest
}
