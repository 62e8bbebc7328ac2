package prometheus

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// bounds are the upper ends of the buckets, the same for every histogram and every replica, so that they add up (R-OPS-1). A call
// ends within 25 s.
var bounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second,
	10 * time.Second, 25 * time.Second,
}

// histogram counts durations in the buckets of bounds and, last, those beyond. It is safe for concurrent use.
type histogram struct {
	counts [len(bounds) + 1]atomic.Int64
	sum    atomic.Int64 // nanoseconds
}

func (h *histogram) add(elapsed time.Duration) {
	bucket, _ := slices.BinarySearch(bounds[:], elapsed)
	h.counts[bucket].Add(1)
	h.sum.Add(int64(elapsed))
}

// histograms are those of one set, by their names with labels.
type histograms struct{ named sync.Map }

func (s *histograms) get(name string) *histogram {
	known, isKnown := s.named.Load(name)
	if !isKnown {
		known, _ = s.named.LoadOrStore(name, &histogram{})
	}
	return known.(*histogram)
}

// write writes them in Prometheus' text format, where the count of a bucket has those of the smaller ones in it. The library of
// the counters has only histograms of another form, and summaries, which cannot be added up.
func (s *histograms) write(out io.Writer) {
	all := make(map[string]*histogram)
	s.named.Range(func(name, counted any) bool {
		all[name.(string)] = counted.(*histogram)
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		family, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
		before, only := "", ""
		if labels != "" {
			before, only = labels+",", "{"+labels+"}"
		}
		total := int64(0)
		for i := range all[name].counts {
			end := "+Inf"
			if i < len(bounds) {
				end = fmt.Sprint(bounds[i].Seconds())
			}
			total += all[name].counts[i].Load()
			fmt.Fprintf(out, "%s_bucket{%sle=%q} %d\n", family, before, end, total)
		}
		fmt.Fprintf(out, "%s_sum%s %g\n", family, only, time.Duration(all[name].sum.Load()).Seconds())
		fmt.Fprintf(out, "%s_count%s %d\n", family, only, total)
	}
}
