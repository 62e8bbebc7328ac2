package host_test

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

func limited(limits host.Limits) func(*hostedWith) {
	return func(with *hostedWith) { with.options.Limits = limits }
}

// Covers R-HOST-9: a caller over its limit gets Retry-After, and others are not delayed.
func TestRateOfOneToken(t *testing.T) {
	h := newHosted(t, limited(host.Limits{Concurrent: 2, Burst: 3, PerSecond: 0.01}))
	h.as.says("tok-other-3fKq9aBcD7xY", `{"active":true,"pdpp_token_kind":"client"}`)
	for range 3 {
		if got := h.post(t, ping); got.status != 200 {
			t.Fatalf("answer is %d %s", got.status, got.body)
		}
	}
	got := h.post(t, ping)
	wait, err := strconv.Atoi(got.header.Get("Retry-After"))
	if got.status != 429 || errorOf(t, got.body).Code != "rate_limit_exceeded" || err != nil || wait < 90 || wait > 100 {
		t.Errorf("answer is %d %s, Retry-After %q", got.status, got.body, got.header.Get("Retry-After"))
	}
	if got := send(t, h.request(t, http.MethodPost, "/mcp", ping, "Authorization",
		"Bearer tok-other-3fKq9aBcD7xY")); got.status != 200 {
		t.Errorf("another caller gets %d %s", got.status, got.body)
	}
}

// Each message of a batch counts.
func TestBatchCountsItsMessages(t *testing.T) {
	h := newHosted(t, limited(host.Limits{Concurrent: 3, Burst: 4, PerSecond: 0.01}))
	batch := "[" + ping + "," + callOf("fetch", "{}") + "," + callOf("schema", "{}") + "]"
	h.post(t, batch, "MCP-Protocol-Version", "2025-03-26")
	if got := h.post(t, batch, "MCP-Protocol-Version", "2025-03-26"); got.status != 429 {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}

// Covers R-HOST-9: the running requests of one token are limited until they end.
func TestConcurrentRequestsOfOneToken(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	h := newHosted(t, limited(host.Limits{Concurrent: 2, Burst: 10}), func(with *hostedWith) {
		with.answer = func(w http.ResponseWriter, _ *http.Request) {
			arrived <- struct{}{}
			<-release
			_, _ = io.WriteString(w, `{}`)
		}
	})
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if got := h.post(t, callOf("fetch", "{}")); got.status != 200 {
				t.Errorf("answer is %d %s", got.status, got.body)
			}
		})
		<-arrived
	}
	got := h.post(t, ping)
	if got.status != 429 || got.header.Get("Retry-After") != "1" {
		t.Errorf("answer is %d %s, Retry-After %q", got.status, got.body, got.header.Get("Retry-After"))
	}
	close(release)
	calls.Wait()
	if got := h.post(t, ping); got.status != 200 {
		t.Errorf("answer is %d %s after the others ended", got.status, got.body)
	}
}

// The number of remembered callers is limited, so that many tokens do not fill the memory.
func TestRememberedCallersAreBounded(t *testing.T) {
	h := newHosted(t, limited(host.Limits{Concurrent: 1, Burst: 1, PerSecond: 0.01, Callers: 1}))
	h.as.says("tok-other-3fKq9aBcD7xY", `{"active":true,"pdpp_token_kind":"client"}`)
	if got := h.post(t, ping); got.status != 200 {
		t.Fatalf("answer is %d %s", got.status, got.body)
	}
	if got := h.post(t, ping); got.status != 429 {
		t.Fatalf("answer is %d %s", got.status, got.body)
	}
	send(t, h.request(t, http.MethodPost, "/mcp", ping, "Authorization", "Bearer tok-other-3fKq9aBcD7xY"))
	if got := h.post(t, ping); got.status != 200 {
		t.Errorf("answer is %d %s, want a caller that was forgotten", got.status, got.body)
	}
}
