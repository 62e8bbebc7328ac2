package toolcall

import (
	"slices"
	"sync"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// maxSums limits the sums of one call. A call can send hundreds of requests, but of few kinds.
const maxSums = 8

// readSum adds up the requests of a call that have the same URL template and status.
type readSum struct {
	Template   string  `json:"url"`
	Status     int     `json:"status"` // 0 without a response
	Requests   int     `json:"requests"`
	Again      int     `json:"again"`       // requests that were retries
	DurationMS float64 `json:"duration_ms"` // of all requests; some may have run at the same time
	LongestMS  float64 `json:"longest_ms"`
	Bytes      int64   `json:"bytes"`
}

// milliseconds returns a duration for a log. As JSON, slog writes a Duration as nanoseconds without a unit.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// reads adds up the requests of one call. It is safe for concurrent use.
type reads struct {
	mu     sync.Mutex
	sums   []readSum
	others int // requests that no sum covers
}

func (r *reads) add(sent rs.Sent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.sums, func(sum readSum) bool { return sum.Template == sent.Template && sum.Status == sent.Status })
	if i < 0 && len(r.sums) == maxSums {
		r.others++
		return
	}
	if i < 0 {
		i = len(r.sums)
		r.sums = append(r.sums, readSum{Template: sent.Template, Status: sent.Status})
	}
	sum, took := &r.sums[i], milliseconds(sent.Took)
	sum.Requests++
	if sent.Try > 1 {
		sum.Again++
	}
	sum.DurationMS += took
	sum.LongestMS = max(sum.LongestMS, took)
	sum.Bytes += sent.Bytes
}

func (r *reads) all() (sums []readSum, others int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sums), r.others
}
