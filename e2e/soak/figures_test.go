package soak_test

import (
	"context"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// tally has the counts and durations of a run.
type tally struct {
	mu       sync.Mutex
	calls    map[string][]time.Duration // by tool or habit
	injected map[string]int             // errors by code
	notes    map[string]int
}

func newTally() *tally {
	return &tally{calls: map[string][]time.Duration{}, injected: map[string]int{}, notes: map[string]int{}}
}

// maxDurations bounds the durations that a tally keeps of each kind, and so its memory.
const maxDurations = 1 << 16

func (t *tally) add(kind string, got outcome, injected bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes["calls"]++
	t.notes["calls: "+kind]++
	if injected {
		t.injected[got.code]++
	}
	if t.calls[kind] == nil {
		t.calls[kind] = make([]time.Duration, 0, maxDurations) // so that it does not grow later
	}
	if len(t.calls[kind]) < maxDurations {
		t.calls[kind] = append(t.calls[kind], got.ended.Sub(got.started))
	}
}

func (t *tally) note(what string, by int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes[what] += by
	return t.notes[what]
}

func (t *tally) report(test *testing.T, samples series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	test.Logf("%s on %d processors, %s/%s, %s", *during, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, what := range slices.Sorted(maps.Keys(t.notes)) {
		test.Logf("%-32s %d", what, t.notes[what])
	}
	for _, code := range slices.Sorted(maps.Keys(t.injected)) {
		test.Logf("injected error %-17s %d", code, t.injected[code])
	}
	for _, kind := range slices.Sorted(maps.Keys(t.calls)) {
		took := slices.Sorted(slices.Values(t.calls[kind]))
		test.Logf("%-32s p50 %s p99 %s max %s", kind, took[len(took)/2].Round(10*time.Microsecond),
			took[len(took)*99/100].Round(10*time.Microsecond), took[len(took)-1].Round(10*time.Microsecond))
	}
	for _, measure := range samples.measures() {
		values := measure.values
		test.Logf("%-32s first %.0f last %.0f least %.0f most %.0f, %+.2f per minute by slope", measure.name,
			values[0], values[len(values)-1], slices.Min(values), slices.Max(values), samples.slope(values)*60)
	}
}

// sample is the state of the process at one moment.
type sample struct {
	at          time.Time
	heap        float64 // KiB alive after a collection
	resident    float64 // KiB, 0 if unknown
	goroutines  float64
	descriptors float64 // 0 if unknown
}

type series []sample

// observe takes samples until the context ends.
func (s *soak) observe(ctx context.Context) series {
	var samples series
	for every := max(*during/60, 500*time.Millisecond); wait(ctx, every); {
		samples = append(samples, s.sample(ctx))
	}
	return samples
}

// sample takes a sample after the calls in progress have ended.
func (s *soak) sample(ctx context.Context) sample {
	s.calm.Lock()
	defer s.calm.Unlock()
	s.idle()
	s.rs.Take()
	s.as.Take()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections() // of the sign-ins
	// The other side of a connection ends a moment later.
	for before := 0; before != runtime.NumGoroutine() && wait(ctx, 10*time.Millisecond); {
		before = runtime.NumGoroutine()
		wait(ctx, 20*time.Millisecond)
	}
	return take()
}

func take() sample {
	runtime.GC()
	runtime.GC() // the second collection frees what pools kept
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	entries, _ := os.ReadDir("/proc/self/fd")
	taken := sample{
		at: time.Now(), heap: float64(memory.HeapAlloc) / 1024, goroutines: float64(runtime.NumGoroutine()),
		descriptors: float64(len(entries)),
	}
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, _ := strconv.ParseFloat(strings.Fields(string(statm))[1], 64)
		taken.resident = pages * float64(os.Getpagesize()) / 1024
	}
	return taken
}

// measure is one figure over time, and how much it may grow over the run without a leak.
type measure struct {
	name   string
	values []float64
	grows  float64
}

// settled returns the samples after the first fifth: caches and pools have filled.
func (s series) settled() series { return s[len(s)/5:] }

func (s series) measures() []measure {
	if len(s) == 0 {
		return nil
	}
	measures := []measure{
		{name: "live heap, KiB", grows: 2048},
		{name: "resident memory, KiB", grows: 16 << 10},
		{name: "goroutines", grows: 10},
		{name: "descriptors", grows: 10},
	}
	for _, each := range s {
		for i, value := range []float64{each.heap, each.resident, each.goroutines, each.descriptors} {
			measures[i].values = append(measures[i].values, value)
		}
	}
	return measures
}

// slope returns the median slope between all pairs of samples (Theil and Sen), per second. Single peaks do not change
// it.
func (s series) slope(values []float64) float64 {
	var slopes []float64
	for i := range values {
		for j := range i {
			slopes = append(slopes, (values[i]-values[j])/s[i].at.Sub(s[j].at).Seconds())
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}

// assertFlat reports an error if a figure grows by more than noise.
func (s series) assertFlat(t *testing.T) {
	t.Helper()
	settled := s.settled()
	lasted := settled[len(settled)-1].at.Sub(settled[0].at).Seconds()
	for _, measure := range settled.measures() {
		if grown := settled.slope(measure.values) * lasted; grown > measure.grows {
			t.Errorf("%s grew by %.0f in %.0f s; %.0f is noise", measure.name, grown, lasted, measure.grows)
		}
	}
}
