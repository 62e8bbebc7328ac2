package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

// gauge counts running requests, and their maximum.
type gauge struct{ now, most, all atomic.Int32 }

func (g *gauge) begin() {
	g.all.Add(1)
	now := g.now.Add(1)
	for most := g.most.Load(); now > most && !g.most.CompareAndSwap(most, now); most = g.most.Load() {
	}
}

// R-HOST-4: introspections of a flood of invented tokens are limited. A token that waits longer than a second is
// refused with 503 and Retry-After, and can be introspected later.
func TestFloodOfTokensIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const flood = 1_000
		var under gauge
		v := overTransport(t, func(request *http.Request) (*http.Response, error) {
			under.begin()
			defer under.now.Add(-1)
			<-request.Context().Done() // the authorization server hangs
			return nil, request.Context().Err()
		})
		var waiting sync.WaitGroup
		var refusals sync.Map
		begun := time.Now()
		for i := range flood {
			waiting.Go(func() {
				_, err := v.Verify(t.Context(), "made-up-"+strconv.Itoa(i))
				refusals.Store(i, err)
				if waited := time.Since(begun); waited != time.Second && waited != auth.DefaultTimeout {
					t.Errorf("waited %s", waited)
				}
			})
		}
		waiting.Wait()
		if asked := under.all.Load(); asked != auth.Concurrency || under.most.Load() != asked {
			t.Errorf("%d introspections, %d at once, want %d", asked, under.most.Load(), auth.Concurrency)
		}
		busy := 0
		refusals.Range(func(_, value any) bool {
			refusal := asRefusal(t, nil, value.(error))
			expect(t, refusal, 503, "authorization_unavailable", "")
			if strings.Contains(refusal.Message, "at once") {
				busy++
			}
			return true
		})
		if busy != flood-auth.Concurrency {
			t.Errorf("%d were refused for want of a turn", busy)
		}
	})
}

// A short burst over the limit is served: waiting tokens are introspected in turn.
func TestTurnsAreHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under gauge
		v := overTransport(t, func(*http.Request) (*http.Response, error) {
			under.begin()
			defer under.now.Add(-1)
			time.Sleep(100 * time.Millisecond) // of the bubble's clock
			return response(clientAnswer), nil
		})
		var waiting sync.WaitGroup
		for i := range 5 * auth.Concurrency {
			waiting.Go(func() {
				if _, err := v.Verify(t.Context(), "caller-"+strconv.Itoa(i)); err != nil {
					t.Error(err)
				}
			})
		}
		waiting.Wait()
		if most := under.most.Load(); most != auth.Concurrency {
			t.Errorf("%d at once", most)
		}
	})
}

// A cached caller is served during a flood.
func TestKnownCallersNeedNoTurn(t *testing.T) {
	held := make(chan struct{})
	as := newAuthority(t, answer(clientAnswer))
	v, _ := verifier(t, as)
	admitted(t, v, bearer)

	var arrived sync.WaitGroup
	arrived.Add(auth.Concurrency)
	as.Set(func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		<-held
		answer(clientAnswer)(w, r)
	})
	var waiting sync.WaitGroup
	for i := range auth.Concurrency {
		waiting.Go(func() {
			if _, err := v.Verify(t.Context(), fmt.Sprint("slow-", i)); err != nil {
				t.Error(err)
			}
		})
	}
	arrived.Wait()
	admitted(t, v, bearer)

	refusal := refused(t, v, "made-up")
	recorder := httptest.NewRecorder()
	auth.Challenge{PublicOrigin: "https://mcp.example.com", RequestID: "req_1"}.Write(recorder, refusal)
	if recorder.Code != 503 || recorder.Header().Get("Retry-After") != "5" ||
		!strings.Contains(recorder.Body.String(), "at once") {
		t.Errorf("%d %v %s", recorder.Code, recorder.Header(), recorder.Body)
	}
	close(held)
	waiting.Wait()
}
