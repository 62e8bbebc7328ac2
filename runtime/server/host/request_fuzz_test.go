package host_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// R-HOST-4, R-ERR-4, R-ERR-6: every request gets one response with a known status. Nothing is read with an invalid
// bearer, and no response and no log repeats a bearer or the secret.
func FuzzHostedRequests(f *testing.F) {
	message := strings.TrimSpace(call(1))
	f.Add("POST", "/mcp", "Bearer "+bearer, "", "application/json", "2025-06-18", message)
	f.Add("POST", "/mcp", "Bearer "+bearer, "", "application/json", "2026-07-28",
		`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`)
	f.Add("POST", "/mcp", "Bearer unknown", "", "application/json", "", message)
	f.Add("POST", "/mcp", "", "https://evil.example", "text/plain", "", `{}`)
	f.Add("GET", "/mcp", "Basic eDp5", "", "", "1", "")
	f.Add("DELETE", "/mcp?access_token=x", "Bearer "+bearer, "null", "", "\x00", "")
	f.Add("POST", "//mcp/../mcp", "Bearer a b", "", "application/json; charset=\"", "", "[")
	f.Add("OPTIONS", "/.well-known/oauth-protected-resource/%2e%2e/mcp", "", "http://localhost", "", "", "")
	f.Add("GET", "/connect?next=//evil.example", "", "", "text/html", "", "")

	h := newHosted(f)
	f.Fuzz(func(t *testing.T, method, target, authorization, origin, media, revision, body string) {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+h.authority()+"/", strings.NewReader(body))
		if err != nil {
			return // no server would be given such a method
		}
		request.URL.Path, request.URL.RawQuery, _ = strings.Cut(target, "?")
		request.RequestURI, request.RemoteAddr = target, stranger
		for name, value := range map[string]string{
			"Authorization": authorization, "Origin": origin, "Content-Type": media, "Mcp-Protocol-Version": revision,
			"Accept": "application/json, text/event-stream",
		} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		before := len(h.rs.seen())
		recorder := httptest.NewRecorder()
		h.ServeHTTP(recorder, request)
		checkAnswer(t, recorder)
		for _, sent := range h.rs.seen()[before:] {
			if sent.Header.Get("Authorization") != "Bearer "+bearer ||
				!strings.HasSuffix(strings.TrimRight(authorization, " \t"), bearer) {
				t.Errorf("%q read with %q", authorization, sent.Header.Get("Authorization"))
			}
		}
		if told := recorder.Body.String() + h.log.String(); strings.Contains(told, bearer) &&
			!strings.Contains(body+target+origin+media+revision, bearer) ||
			strings.Contains(told, introspectionSecret) {
			t.Error("a secret was shown")
		}
	})
}

// authority returns the host and port of the server.
func (h *hosted) authority() string { return strings.TrimPrefix(h.url, "http://") }

func checkAnswer(t *testing.T, answered *httptest.ResponseRecorder) {
	t.Helper()
	switch answered.Code {
	case 200, 202, 204, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 406, 413, 415, 421, 429, 503:
	default:
		t.Errorf("status %d: %s", answered.Code, answered.Body)
	}
	if location := answered.Header().Get("Location"); strings.Contains(location, "evil") ||
		strings.HasPrefix(location, "//") {
		t.Errorf("leads to %q", location)
	}
}
