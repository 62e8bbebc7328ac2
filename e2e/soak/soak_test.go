package soak_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

var (
	during  = flag.Duration("for", 4*time.Second, "how long to run; from one minute on, memory must be flat")
	callers = flag.Int("callers", 12, "how many call at once")
	seed    = flag.Uint64("seed", 1, "chooses what is called")
)

// soak is one run.
type soak struct {
	*provider
	t       *testing.T
	oracle  oracle
	keys    map[place][]string
	readers []reader
	tally   *tally
	trouble *trouble

	// calm is held for writing while a sample is taken, and for reading during calls: what is in memory then
	// is what stays.
	calm sync.RWMutex
}

// R-HOST-5, R-ERR-3, R-PKG-6: no error that was not injected, every answer as SQL has it, nothing of one caller in the
// answer of another, memory, goroutines and descriptors flat, and nothing left at the end.
func TestSoak(t *testing.T) {
	watch(t)
	// The sandbox logs every read that its client gave up. Its answers are checked anyway.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	s := &soak{provider: newProvider(t), t: t, tally: newTally(), keys: map[place][]string{}}
	s.oracle = oracle{s.box.Store().DB()}
	s.trouble = &trouble{soak: s}
	for _, each := range places {
		keys, err := s.oracle.keys(t.Context(), each, 100_000, 0)
		if err != nil || len(keys) == 0 {
			t.Fatalf("%v has no records: %v", each, err)
		}
		s.keys[each] = keys
	}
	s.readers = s.ready()

	ctx, stop := context.WithTimeout(t.Context(), *during)
	defer stop()
	var running sync.WaitGroup
	for caller := range *callers {
		running.Go(func() { s.live(ctx, caller) })
	}
	running.Go(func() { s.trouble.restarts(ctx) })
	running.Go(func() { s.trouble.ends(ctx) })
	samples := s.observe(ctx)
	running.Wait()
	s.tally.report(t, samples)
	if *during >= time.Minute {
		samples.assertFlat(t)
	}
	if s.trouble.count() == 0 {
		t.Error("the resource server was never restarted")
	}
}

// watch fails the test when it leaves a goroutine behind.
func watch(t *testing.T) {
	t.Helper()
	// The first sandbox of a process keeps its sample data for the next.
	first, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: "http://sandbox.test", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	standing := goleak.IgnoreCurrent()
	// The library of the metrics has one for the process, for good.
	metrics := goleak.IgnoreAnyFunction("github.com/VictoriaMetrics/metrics.summariesSwapCron")
	t.Cleanup(func() { goleak.VerifyNone(t, standing, metrics) }) // after every other clean-up
}

// ready returns the callers with tokens that last.
func (s *soak) ready() []reader {
	all := []string{
		"cin_gmail_personal", "cin_gmail_work", "cin_slack_team", "cin_spotify", "cin_github",
		"cin_calendar", "cin_fjordbank",
	}
	tokens := s.box.Tokens()
	return []reader{
		{"everything", tokens["everything"], all, ""},
		{"package", tokens["package"], all, "labels"},
		{"package_single", tokens["package_single"], all[:1], "labels"},
		{"gmail_both", tokens["gmail_both"], all[:2], "labels"},
		{"slack", tokens["slack"], all[2:3], ""},
		{"spotify", tokens["spotify"], all[3:4], ""},
	}
}

// live makes the calls of one caller, one at a time, with its tokens in turn.
func (s *soak) live(ctx context.Context, caller int) {
	dice := rand.New(rand.NewPCG(*seed, uint64(caller)))
	for ctx.Err() == nil {
		s.once(ctx, dice)
	}
}

// once is one call: nine in ten wait for their answer, and one of them slowly.
func (s *soak) once(ctx context.Context, dice *rand.Rand) {
	s.calm.RLock()
	defer s.calm.RUnlock()
	who := s.readers[dice.IntN(len(s.readers))]
	visit := s.choose(who, dice)
	switch dice.IntN(10) {
	case 0:
		s.giveUp(ctx, who, visit, patience(dice))
	case 1:
		s.make(ctx, who, visit, pace(5*time.Millisecond))
	default:
		s.make(ctx, who, visit, 0)
	}
}

// make makes a visit and judges it. A call that has begun is ended, also when the run is over.
func (s *soak) make(ctx context.Context, who reader, v visit, slow pace) {
	ctx = context.WithoutCancel(ctx)
	got := s.call(ctx, who.token, v.tool, v.arguments, slow)
	kind := v.tool
	if slow > 0 {
		kind = "slow client"
	}
	s.judge(ctx, kind, who, v, got)
}

// giveUp makes a visit whose caller disconnects. An answer that arrives before is checked like any other.
func (s *soak) giveUp(ctx context.Context, who reader, v visit, after time.Duration) {
	limited, cancel := context.WithTimeout(ctx, after)
	defer cancel()
	got := s.call(limited, who.token, v.tool, v.arguments, 0)
	if got.err != nil && limited.Err() != nil {
		s.tally.add("given up", got, false)
		return
	}
	s.judge(context.WithoutCancel(ctx), v.tool, who, v, got)
}

// judge compares an answer with SQL, and an error with the injected ones.
func (s *soak) judge(ctx context.Context, kind string, who reader, v visit, got outcome) {
	if got.err != nil {
		s.fail(who, v, "the connection to the adapter failed: "+got.err.Error())
		return
	}
	if got.code != "" {
		injected := s.trouble.explains(got)
		s.tally.add(kind, got, injected)
		if !injected {
			s.fail(who, v, fmt.Sprintf("%d %s: %.500s", got.status, got.code, got.body))
		}
		return
	}
	s.tally.add(kind, got, false)
	if strings.Contains(got.text, "source_unavailable") {
		s.tally.note("answers without one source", 1)
		if !s.trouble.overlaps(got) {
			s.fail(who, v, "a source is missing that was not removed")
		}
	}
	wrong, err := v.check(ctx, got)
	if err != nil {
		wrong = fmt.Sprintf("%s (%v)", wrong, err)
	}
	if wrong != "" {
		s.fail(who, v, wrong)
	}
	for _, other := range s.readers {
		if strings.Contains(got.body, other.token) {
			s.fail(who, v, "the answer holds a token")
		}
	}
}

// maxFailures are printed; all are counted.
const maxFailures = 20

func (s *soak) fail(who reader, v visit, what string) {
	if s.tally.note("failures", 1) <= maxFailures {
		s.t.Errorf("%s: %s %s: %s", who.name, v.tool, v.arguments, what)
		return
	}
	s.t.Fail()
}

// refused reports whether an answer refuses a token that has ended.
func refused(got outcome) bool {
	codes := []string{"authentication_error", "context.active_false", "grant_revoked"}
	return got.structured == nil && (got.status == http.StatusUnauthorized || slices.Contains(codes, got.code))
}
