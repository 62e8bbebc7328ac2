package host_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Covers R-HOST-3, R-HOST-7, R-HOST-8, R-HOST-11 and R-MCP-2: what needs no bearer, on the origin that the client sees. Nobody is
// asked for it.
func TestPublicRoutes(t *testing.T) {
	h := newHosted(t)
	tests := []struct{ path, media, holds string }{
		{"/", "application/json", `"mcp": "{origin}/mcp"`},
		{"/dashboard/connect", "text/html", "{origin}/mcp"},
		{"/llms.txt", "text/plain", "`read_record_field`"},
		{"/llms.txt", "text/plain", "Start with schema."},
		{"/icon.svg", "image/svg+xml", "<svg"},
		{"/mcp/server-card", "application/mcp-server-card+json", `"remotes":[{"type":"streamable-http","url":"{origin}/mcp","supportedProtocolVersions":["2026-07-28",`},
		{"/.well-known/ai-catalog.json", "application/ai-catalog+json", `"url":"{origin}/mcp/server-card"`},
		{"/.well-known/oauth-protected-resource", "application/json", `"resource":"{origin}"`},
		{"/.well-known/oauth-protected-resource", "application/json", `"pdpp_core_query_base":"{origin}/v1"`},
		{"/.well-known/oauth-protected-resource/mcp", "application/json", `"resource":"{origin}/mcp"`},
		{"/.well-known/oauth-protected-resource/mcp", "application/json", `"authorization_servers":["{as}"]`},
	}
	for _, test := range tests {
		got := send(t, h.request(t, http.MethodGet, test.path, ""))
		holds := strings.NewReplacer("{origin}", h.url, "{as}", h.as.URL).Replace(test.holds)
		if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), test.media) || !strings.Contains(got.body, holds) {
			t.Errorf("%s is %d %s and lacks %s:\n%s", test.path, got.status, got.header.Get("Content-Type"), holds, got.body)
		}
		if id := got.header.Get("Request-Id"); !strings.HasPrefix(id, "req_") {
			t.Errorf("%s has the request id %q", test.path, id)
		}
	}
	if got := send(t, h.request(t, http.MethodGet, "/connect", "")); got.status != 308 || got.header.Get("Location") != "/dashboard/connect" {
		t.Errorf("/connect is %d to %q", got.status, got.header.Get("Location"))
	}
	if got := send(t, h.request(t, http.MethodGet, "/metrics", "")); got.status != 404 {
		t.Errorf("/metrics is %d on the public address", got.status)
	}
	if as, rs := len(h.as.seen()), len(h.rs.seen()); as+rs > 0 {
		t.Errorf("the AS was asked %d times, the RS %d times", as, rs)
	}
}

// Covers R-SURF-2: what is served without a bearer offers no other surface.
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
	if strings.Join(document.Kinds, " ") != "client mcp_package" || document.Logo != nil || strings.Contains(got.body, "profile") {
		t.Errorf("the metadata is %s", got.body)
	}
}
