package host_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// /readyz reports whether both other servers are reachable, for any Host. Failures are counted and logged.
func TestReadiness(t *testing.T) {
	tests := []struct {
		name   string
		breaks func(*hosted)
		status int
		want   string
	}{
		{
			"ready", func(*hosted) {}, 200,
			`{"status":"ready","authorization_server":"reachable","resource_server":"reachable"}`,
		},
		{
			"AS down", func(h *hosted) { h.as.Close() }, 503,
			`{"status":"unavailable","authorization_server":"unreachable","resource_server":"reachable"}`,
		},
		{
			"RS down", func(h *hosted) { h.rs.Close() }, 503,
			`{"status":"unavailable","authorization_server":"reachable","resource_server":"unreachable"}`,
		},
		{"RS in trouble", func(h *hosted) {
			h.rs.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
		}, 503, `{"status":"unavailable","authorization_server":"reachable","resource_server":"unreachable"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHosted(t)
			test.breaks(h)
			got := send(t, h.request(t, http.MethodGet, "/readyz", "", "Host", "10.0.0.7:8788"))
			if got.status != test.status || strings.TrimSpace(got.body) != test.want {
				t.Errorf("answer is %d %s, want %d %s", got.status, got.body, test.status, test.want)
			}
			scraped := httptest.NewRecorder()
			h.metrics.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			if counted := fmt.Sprintf(`pdpp_mcp_http_requests_total{route="/readyz",status="%d"} 1`,
				test.status); !strings.Contains(scraped.Body.String(), counted) {
				t.Errorf("the metrics lack %s, which an alert asks for", counted)
			}
			if said := strings.Contains(h.log.String(), `"msg":"not ready","error":"`); said == (test.status == 200) {
				t.Errorf("the log says: %s", h.log)
			}
			if got := send(t, h.request(t, http.MethodGet, "/healthz", "", "Host", "10.0.0.7:8788")); got.status != 200 {
				t.Errorf("the process is not healthy: %d %s", got.status, got.body)
			}
		})
	}
}

// Probes cause little load on the other servers, and send them no caller's token.
func TestReadinessIsKeptForAWhile(t *testing.T) {
	h := newHosted(t)
	h.rs.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	for range 5 { // within the while, also on a busy machine
		send(t, h.request(t, http.MethodGet, "/readyz", ""))
	}
	if count := strings.Count(h.log.String(), "not ready"); count != 1 {
		t.Errorf("what is wrong was said %d times", count)
	}
	if as, rs := len(h.as.seen()), len(h.rs.seen()); as != 1 || rs != 1 {
		t.Errorf("the AS was asked %d times and the RS %d times, want once each", as, rs)
	}
	if sent := h.rs.seen()[0].Header.Get("Authorization"); sent != "" {
		t.Errorf("the RS saw the bearer %q", sent)
	}
}
