package host_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Covers R-ERR-6 and R-STDIO-4 for a hosted server: no log line, metric or error contains a token, secret, argument or
// answer.
func TestNothingSecretIsLoggedOrCounted(t *testing.T) {
	const (
		planted  = "planted-in-an-argument"
		answered = "planted-in-an-answer"
		member   = "member-token-that-is-never-printed"
	)
	h := newHosted(t, func(with *hostedWith) {
		with.options.SlowCall = 1 // so that every call is logged with its reads too
		with.surface = testSurface(readAll("read"))
		with.answer = func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"code":"`+answered+`","message":"`+answered+r.Header.Get("Authorization")+`"}}`)
		}
	})
	h.as.says("tok-package-3fKq9aBcD7xY",
		`{"active":true,"pdpp_token_kind":"mcp_package","package":{"package_id":"gpkg_1","members":[{"grant_id":"grt_1",`+
			`"status":"revoked","access_token":"`+member+`"}]}}`)
	h.as.says("tok-unusable-3fKq9aBcD7xY", `{"active":`+`"tok-unusable-3fKq9aBcD7xY"`)
	read := callOf("read", `{"x":"`+planted+`"}`)
	for _, request := range []*http.Request{
		h.request(t, "POST", "/mcp", read, "Authorization", "Bearer "+bearer),
		h.request(t, "POST", "/mcp", read, "Authorization", "Bearer tok-package-3fKq9aBcD7xY"),
		h.request(t, "POST", "/mcp", read, "Authorization", "Bearer tok-unusable-3fKq9aBcD7xY"),
		h.request(t, "POST", "/mcp", read, "Authorization", "Bearer tok-stranger-3fKq9aBcD7xY"),
		h.request(t, "POST", "/mcp", read, "Authorization", "Bearer "+bearer, "Request-Id", bearer),
		h.request(t, "POST", "/mcp", read, "Authorization", "Bearer "+bearer, "Host", planted),
		h.request(t, "POST", "/mcp", read, "Authorization", "Bearer "+bearer, "Origin", "https://"+planted),
		h.request(t, "POST", "/mcp?access_token="+bearer, callOf(planted, `{}`), "Authorization", "Bearer "+bearer),
		h.request(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+planted+`"}`, "Authorization", "Bearer "+bearer),
		h.request(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://`+planted+
			`"}}`, "Authorization", "Bearer "+bearer),
		h.request(t, "POST", "/mcp", planted, "Authorization", "Bearer "+bearer),
		h.request(t, "GET", "/"+planted+"?token="+bearer, ""),
	} {
		got := send(t, request)
		for _, secret := range []string{
			bearer, introspectionSecret, member, "tok-package-3fKq9aBcD7xY",
			"tok-unusable-3fKq9aBcD7xY", "tok-stranger-3fKq9aBcD7xY",
		} {
			if strings.Contains(got.body, secret) {
				t.Errorf("an answer shows %q: %s", secret, got.body)
			}
		}
	}
	scraped := httptest.NewRecorder()
	h.metrics.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	metrics, log := scraped.Body.String(), h.log.String()
	for _, secret := range []string{
		bearer, introspectionSecret, member, planted, answered, "tok-package-3fKq9aBcD7xY",
		"tok-unusable-3fKq9aBcD7xY", "tok-stranger-3fKq9aBcD7xY",
	} {
		for name, text := range map[string]string{"log": log, "metrics": metrics} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("the %s shows %q: %s", name, secret, text[max(0, i-200):min(len(text), i+100)])
			}
		}
	}
	for _, want := range []string{
		`pdpp_mcp_calls_total{tool="read",code="rs_400"} 2`,
		`pdpp_mcp_http_requests_total{route="/mcp",status="421"} 1`,
		`pdpp_mcp_http_requests_total{route="other",status="404"} 1`,
		`pdpp_mcp_rs_requests_total{status="4xx"} 2`,
		`pdpp_mcp_introspections_total{result="cache_hit"}`,
		`pdpp_mcp_call_duration_seconds_count{tool="read"} 2`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if !strings.Contains(log, `"method":"tools/call","tool":"read","code":"rs_400","duration_ms":`) {
		t.Errorf("the log lacks the line of the call:\n%s", log)
	}
}

// The id of a caller's request is forwarded to the resource server.
func TestRequestIDIsPassedOn(t *testing.T) {
	tests := []struct{ name, id, want string }{
		{"an id", "req_1234567890", "req_1234567890"},
		{"none", "", ""},
		{"with a space", "req 1234567890", ""},
		{"short", "r1", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHosted(t)
			got := h.post(t, callOf("fetch", "{}"), "Request-Id", test.id)
			seen := h.rs.seen()
			if len(seen) != 1 {
				t.Fatalf("the RS saw %d requests", len(seen))
			}
			id := got.header.Get("Request-Id")
			if test.want != "" && id != test.want || test.want == "" && !strings.HasPrefix(id, "req_") {
				t.Errorf("request id is %q, want %q", id, test.want)
			}
			if sent := seen[0].Header.Get("Request-Id"); sent != id {
				t.Errorf("the RS saw the request id %q, want %q", sent, id)
			}
			if !strings.Contains(h.log.String(), `"request_id":"`+id+`"`) {
				t.Errorf("the log lacks %s:\n%s", id, h.log.String())
			}
		})
	}
}
