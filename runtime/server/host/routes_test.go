package host_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// Covers R-HOST-3, R-HOST-7, R-HOST-8, R-HOST-11 and R-MCP-2: the public routes, on the origin that the client sees,
// without any other request.
func TestPublicRoutes(t *testing.T) {
	h := newHosted(t)
	tests := []struct{ path, media, holds string }{
		{"/", "application/json", `"mcp": "{origin}/mcp"`},
		{"/dashboard/connect", "text/html", "{origin}/mcp"},
		{"/llms.txt", "text/plain", "`read_record_field`"},
		{"/llms.txt", "text/plain", "Start with schema."},
		{"/icon.svg", "image/svg+xml", "<svg"},
		{
			"/mcp/server-card", "application/mcp-server-card+json",
			`"remotes":[{"type":"streamable-http","url":"{origin}/mcp","supportedProtocolVersions":["2026-07-28",`,
		},
		{"/.well-known/ai-catalog.json", "application/ai-catalog+json", `"url":"{origin}/mcp/server-card"`},
		{"/.well-known/oauth-protected-resource", "application/json", `"resource":"{origin}"`},
		{"/.well-known/oauth-protected-resource", "application/json", `"pdpp_core_query_base":"{origin}/v1"`},
		{"/.well-known/oauth-protected-resource/mcp", "application/json", `"resource":"{origin}/mcp"`},
		{"/.well-known/oauth-protected-resource/mcp", "application/json", `"authorization_servers":["{as}"]`},
	}
	for _, test := range tests {
		got := send(t, h.request(t, http.MethodGet, test.path, ""))
		holds := strings.NewReplacer("{origin}", h.url, "{as}", h.as.URL).Replace(test.holds)
		if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), test.media) ||
			!strings.Contains(got.body, holds) {
			t.Errorf("%s is %d %s and lacks %s:\n%s", test.path, got.status, got.header.Get("Content-Type"), holds, got.body)
		}
		if id := got.header.Get("Request-Id"); !strings.HasPrefix(id, "req_") {
			t.Errorf("%s has the request id %q", test.path, id)
		}
	}
	if got := send(t, h.request(t, http.MethodGet, "/connect", "")); got.status != 308 ||
		got.header.Get("Location") != "/dashboard/connect" {
		t.Errorf("/connect is %d to %q", got.status, got.header.Get("Location"))
	}
	if got := send(t, h.request(t, http.MethodGet, "/metrics", "")); got.status != 404 {
		t.Errorf("/metrics is %d on the public address", got.status)
	}
	if as, rs := len(h.as.seen()), len(h.rs.seen()); as+rs > 0 {
		t.Errorf("the AS was asked %d times, the RS %d times", as, rs)
	}
}

// Covers R-SURF-2: pages without a bearer offer no other surface.
func TestMetadataNamesClientKindsOnly(t *testing.T) {
	h := newHosted(t)
	got := send(t, h.request(t, http.MethodGet, "/.well-known/oauth-protected-resource/mcp", ""))
	var document struct {
		Kinds []string `json:"pdpp_token_kinds_supported"`
		Logo  *string  `json:"logo_uri"`
	}
	if err := json.Unmarshal([]byte(got.body), &document); err != nil {
		t.Fatal(err)
	}
	if strings.Join(document.Kinds, " ") != "client mcp_package" || document.Logo != nil ||
		strings.Contains(got.body, "profile") {
		t.Errorf("the metadata is %s", got.body)
	}
}

// Covers R-TRUST-4: pages of every origin may read the server card and the catalog, without credentials, and nothing
// else.
func TestCrossOriginReads(t *testing.T) {
	h := newHosted(t)
	const origin = "https://directory.example"
	public := []string{"/mcp/server-card", "/.well-known/ai-catalog.json"}
	others := append(host.Paths(), "/.well-known/oauth-protected-resource", "/unknown", "/healthz", "/readyz")
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions} {
		for _, path := range others {
			got := send(t, h.request(t, method, strings.TrimSuffix(path, "{$}"), "", "Origin", origin, "Authorization",
				"Bearer "+bearer))
			isRead := method == http.MethodGet || method == http.MethodHead
			want := ""
			if isRead && slices.Contains(public, path) {
				want = "*"
			}
			if allowed := got.header.Get("Access-Control-Allow-Origin"); allowed != want || want != "" &&
				got.status != http.StatusOK {
				t.Errorf("%s %s is %d with Access-Control-Allow-Origin %q, want %q", method, path, got.status, allowed, want)
			}
			for name := range got.header {
				if strings.HasPrefix(name, "Access-Control-") && name != "Access-Control-Allow-Origin" {
					t.Errorf("%s %s has the header %s", method, path, name)
				}
			}
		}
	}
	for _, path := range public {
		tag := send(t, h.request(t, http.MethodGet, path, "")).header.Get("ETag")
		got := send(t, h.request(t, http.MethodGet, path, "", "Origin", origin, "If-None-Match", tag))
		if got.status != http.StatusNotModified || got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s with its tag is %d with %v", path, got.status, got.header)
		}
		got = send(t, h.request(t, http.MethodGet, path, "", "Origin", origin, "Host", "evil.example"))
		if got.status != http.StatusMisdirectedRequest || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s at another host is %d with %v", path, got.status, got.header)
		}
	}
}

// Metrics name routes by their paths, from a closed set.
func TestRoutesInMetrics(t *testing.T) { // R-OPS-1
	h := newHosted(t)
	for _, path := range []string{
		"/", "/mcp", "/mcp/server-card", "/dashboard/connect",
		"/.well-known/oauth-protected-resource", "/unknown", "/readyz",
	} {
		send(t, h.request(t, http.MethodGet, path, ""))
	}
	scraped := httptest.NewRecorder()
	h.metrics.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, route := range []string{
		"/", "/mcp", "/mcp/server-card", "/dashboard/connect",
		"/.well-known/oauth-protected-resource", "other", "/readyz",
	} {
		if !strings.Contains(scraped.Body.String(), `pdpp_mcp_http_requests_total{route="`+route+`",`) {
			t.Errorf("the metrics lack the route %s:\n%s", route, scraped.Body)
		}
	}
}
