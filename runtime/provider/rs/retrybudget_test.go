package rs_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// outage is a resource server that answers 503 while it is down, and counts what it sees.
type outage struct {
	seen atomic.Int64
	up   atomic.Bool
}

func (o *outage) RoundTrip(request *http.Request) (*http.Response, error) {
	o.seen.Add(1)
	status := http.StatusServiceUnavailable
	if o.up.Load() {
		status = http.StatusOK
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), ContentLength: 2,
		Request: request,
	}, nil
}

// reads sends n reads concurrently, each by another client, like the hosted server. It returns the number that the
// resource server saw.
func (o *outage) reads(t *testing.T, budget *rs.RetryBudget, count int) int64 {
	t.Helper()
	before := o.seen.Load()
	var running sync.WaitGroup
	for range count {
		client, err := rs.NewClient(rs.Options{
			BaseURL: "http://rs.test", Bearer: rs.NewSecret(bearer), Transport: o,
			Retries: budget,
		})
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			if _, err := client.Get(t.Context(), rs.Request{Path: "/v1/schema"}); (err == nil) != o.up.Load() {
				t.Errorf("got %v", err)
			}
		})
	}
	running.Wait()
	return o.seen.Load() - before
}

// R-ERR-3, R-ERR-4: in an outage, the resource server sees a tenth more reads, one more per second, and the reserve,
// instead of three times as many. Single failures are repaired before and after the outage.
func TestAnOutageIsNotTripled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const reserve, rounds, callers = 20, 30, 100
		down, budget, started := &outage{}, rs.NewRetryBudget(), time.Now()
		if seen := down.reads(t, budget, 1); seen != rs.MaxTries {
			t.Errorf("the RS saw %d tries of a first read, want %d", seen, rs.MaxTries)
		}
		var seen int64
		for range rounds {
			seen += down.reads(t, budget, callers)
			time.Sleep(time.Second)
		}
		asked, seconds := int64(rounds*callers), int64(time.Since(started)/time.Second)
		if most := asked + asked/10 + seconds + reserve; seen > most || seen <= asked {
			t.Errorf("the RS saw %d requests for %d reads in %d s, the limit is %d", seen, asked, seconds, most)
		}
		if seen := down.reads(t, rs.NewRetryBudget(), 1); seen != rs.MaxTries {
			t.Errorf("a client with another budget had %d tries", seen)
		}
		time.Sleep(2 * reserve * time.Second)
		if seen := down.reads(t, budget, 1); seen != rs.MaxTries {
			t.Errorf("after a pause the RS saw %d tries, want %d", seen, rs.MaxTries)
		}
		if seen := down.reads(t, budget, 10*reserve); seen < 10*reserve+reserve || seen > 10*reserve+2*reserve+2 {
			t.Errorf("after a long pause the RS saw %d requests for %d reads, want the reserve and a tenth more",
				seen, 10*reserve)
		}
	})
}

// Reads earn budget, and successful reads spend none.
func TestReadsEarnRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, budget := &outage{}, rs.NewRetryBudget()
		spent := server.reads(t, budget, 100) - 100
		server.up.Store(true)
		if seen := server.reads(t, budget, 100); seen != 100 {
			t.Errorf("the RS saw %d requests for 100 reads that it answered", seen)
		}
		server.up.Store(false)
		if again := server.reads(t, budget, 10) - 10; again < 10 || again > 12 {
			t.Errorf("%d retries after %d were spent and 110 reads earned 11", again, spent)
		}
	})
}
