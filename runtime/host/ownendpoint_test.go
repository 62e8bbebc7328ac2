package host_test

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// Covers R-HOST-4 and R-HOST-9 for a program with an MCP server of its own: what is refused does not come to it, and
// what it streams outlives the time that a client has for a body.
func TestOwnEndpoint(t *testing.T) {
	const soon = 20 * time.Millisecond
	asked := 0
	h := newHosted(t, func(with *hostedWith) {
		with.options.BodyTimeout = soon
		with.options.Endpoint = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			if r.Header.Get("Authorization") != "" {
				t.Error("the bearer went on to the endpoint")
			}
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusInternalServerError)
			case <-time.After(10 * soon):
				_, _ = io.WriteString(w, "streamed")
			}
		})
	})
	if got := send(t, h.request(t, http.MethodGet, "/mcp", "")); got.status != http.StatusUnauthorized || asked > 0 {
		t.Errorf("without a bearer the answer is %d, and the endpoint was asked %d times", got.status, asked)
	}
	if got := send(t, h.request(t, http.MethodGet, "/mcp", "", "Authorization", "Bearer "+bearer)); got.status != 200 || got.body != "streamed" {
		t.Errorf("answer is %d %q", got.status, got.body)
	}
}
