package host_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// Covers R-HOST-2, R-HOST-4, R-HOST-9, R-HOST-10 and R-PKG-1: every status in docs/interfaces.md, and every refusal
// before MCP. None of the requests reaches the resource server.
func TestRefusals(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) { with.options.Limits.Callers = 10 })
	for token, answer := range map[string]string{
		"tok-owner-3fKq9aBcD7xY":     `{"active":true,"pdpp_token_kind":"owner"}`,
		"tok-control-3fKq9aBcD7xY":   `{"active":true,"pdpp_token_kind":"control_plane"}`,
		"tok-unnamed-3fKq9aBcD7xY":   `{"active":true}`,
		"tok-expired-3fKq9aBcD7xY":   `{"active":true,"pdpp_token_kind":"client","exp":1}`,
		"tok-elsewhere-3fKq9aBcD7xY": `{"active":true,"pdpp_token_kind":"client","aud":"https://elsewhere.example"}`,
		"tok-revoked-3fKq9aBcD7xY": `{"active":true,"pdpp_token_kind":"mcp_package","package":{"package_id":"gpkg_1",` +
			`"members":[{"grant_id":"grt_1","status":"revoked","access_token":"x"}]}}`,
		"tok-unpublished-3fKq9aBcD7xY": `{"active":true,"pdpp_token_kind":"mcp_package","grant_package_id":"gpkg_1"}`,
		"tok-broken-3fKq9aBcD7xY":      `<html>`,
	} {
		h.as.says(token, answer)
	}
	const good = "Bearer " + bearer
	tests := []struct {
		name      string
		method    string
		body      string
		header    []string
		status    int
		code      string
		challenge string // error= of WWW-Authenticate; "-" for a challenge without one; empty for no challenge
		retry     bool
	}{
		{"no bearer", "POST", ping, nil, 401, "authentication_error", "-", false},
		{"no bearer with GET", "GET", "", nil, 401, "authentication_error", "-", false},
		{"no bearer with DELETE", "DELETE", "", nil, 401, "authentication_error", "-", false},
		{"Basic", "POST", ping, []string{"Authorization", "Basic eDp5"}, 401, "authentication_error", "-", false},
		{
			"two bearers", "POST", ping,
			[]string{"Authorization", good, "Authorization", good},
			401, "authentication_error",
			"invalid_token", false,
		},
		{
			"unknown", "POST", ping,
			[]string{"Authorization", "Bearer tok-stranger-3fKq9aBcD7xY"},
			401, "authentication_error",
			"invalid_token", false,
		},
		{
			"expired", "POST", ping,
			[]string{"Authorization", "Bearer tok-expired-3fKq9aBcD7xY"},
			401, "authentication_error",
			"invalid_token", false,
		},
		{
			"owner", "POST", ping,
			[]string{"Authorization", "Bearer tok-owner-3fKq9aBcD7xY"},
			403, "permission_error",
			"insufficient_scope", false,
		},
		{
			"control plane", "POST", ping,
			[]string{"Authorization", "Bearer tok-control-3fKq9aBcD7xY"},
			403, "permission_error",
			"insufficient_scope", false,
		},
		{
			"unknown kind", "POST", ping,
			[]string{"Authorization", "Bearer tok-unnamed-3fKq9aBcD7xY"},
			403, "permission_error",
			"insufficient_scope", false,
		},
		{
			"wrong audience", "POST", ping,
			[]string{"Authorization", "Bearer tok-elsewhere-3fKq9aBcD7xY"},
			403,
			"permission_error", "insufficient_scope", false,
		},
		{
			"package without active members", "POST", ping,
			[]string{"Authorization", "Bearer tok-revoked-3fKq9aBcD7xY"},
			403,
			"package_revoked", "-", false,
		},
		{
			"members not published", "POST", ping,
			[]string{"Authorization", "Bearer tok-unpublished-3fKq9aBcD7xY"},
			503,
			"package_unsupported", "", true,
		},
		{
			"unusable introspection", "POST", ping,
			[]string{"Authorization", "Bearer tok-broken-3fKq9aBcD7xY"},
			503,
			"authorization_unavailable", "", true,
		},
		{
			"foreign host", "POST", ping,
			[]string{"Authorization", good, "Host", "evil.example"},
			421,
			"misdirected_request", "", false,
		},
		{
			"rebound name with a forwarded host", "POST", ping,
			[]string{"Authorization", good, "Host", "evil.example", "X-Forwarded-Host", "localhost"},
			421,
			"misdirected_request", "", false,
		},
		{
			"host with a path", "POST", ping,
			[]string{"Authorization", good, "Host", "localhost/evil.example"},
			421,
			"misdirected_request", "", false,
		},
		{
			"foreign origin", "POST", ping,
			[]string{"Authorization", good, "Origin", "https://evil.example"},
			403,
			"origin_not_allowed", "", false,
		},
		{
			"null origin", "POST", ping,
			[]string{"Authorization", good, "Origin", "null"},
			403,
			"origin_not_allowed", "", false,
		},
		{
			"foreign origin with GET", "GET", "",
			[]string{"Authorization", good, "Origin", "https://evil.example"},
			403,
			"origin_not_allowed", "", false,
		},
		{
			"cross-site page without an origin", "POST", ping,
			[]string{"Authorization", good, "Sec-Fetch-Site", "cross-site"},
			403, "origin_not_allowed", "", false,
		},
		{
			"preflight of a foreign page", "OPTIONS", "",
			[]string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"},
			403,
			"origin_not_allowed", "", false,
		},
		{
			"too large", "POST", `{"x":"` + strings.Repeat("y", host.MaxRequestBody) + `"}`,
			[]string{"Authorization", good},
			413, "request_too_large", "", false,
		},
		{
			"too large without a bearer", "POST", strings.Repeat("y", host.MaxRequestBody+1), nil, 413,
			"request_too_large", "", false,
		},
		{
			"too long a batch", "POST", "[" + strings.Repeat(ping+",", 16) + ping + "]",
			[]string{"Authorization", good},
			413,
			"request_too_large", "", false,
		},
		{"another method", "PUT", ping, []string{"Authorization", good}, 405, "method_not_allowed", "", false},
		// The SDK refuses these, and says so in plain text.
		{"a stream to listen on", "GET", "", []string{"Authorization", good}, 405, "method_not_allowed", "", false},
		{"the end of a session", "DELETE", "", []string{"Authorization", good}, 405, "method_not_allowed", "", false},
		{
			"a stream that goes on", "POST", ping,
			[]string{"Authorization", good, "Last-Event-Id", "1"},
			400,
			"invalid_request", "", false,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := send(t, h.request(t, test.method, "/mcp", test.body, test.header...))
			refused := errorOf(t, got.body)
			if got.status != test.status || refused.Code != test.code || refused.Message == "" {
				t.Errorf("answer is %d %s, want %d %s", got.status, got.body, test.status, test.code)
			}
			if refused.RequestID == "" || refused.RequestID != got.header.Get("Request-Id") {
				t.Errorf("request id is %q in the body and %q in the header", refused.RequestID, got.header.Get("Request-Id"))
			}
			checkChallenge(t, h, got, refused, test.challenge)
			if retry := got.header.Get("Retry-After"); (retry != "") != test.retry {
				t.Errorf("Retry-After is %q", retry)
			}
		})
	}
	if seen := h.rs.seen(); len(seen) > 0 {
		t.Errorf("the RS saw %d requests, want none", len(seen))
	}
}

// checkChallenge covers R-HOST-2: header and body name the same metadata, and the icon is linked.
func checkChallenge(t *testing.T, h *hosted, got answered, refused httpError, want string) {
	t.Helper()
	metadata := h.url + "/.well-known/oauth-protected-resource/mcp"
	header := got.header.Get("WWW-Authenticate")
	switch want {
	case "":
		if header != "" || refused.ResourceMetadata != "" {
			t.Errorf("challenge is %q, metadata %q, want neither", header, refused.ResourceMetadata)
		}
		return
	case "-":
		want = `Bearer resource_metadata="` + metadata + `"`
	default:
		want = `Bearer error="` + want + `", resource_metadata="` + metadata + `"`
	}
	if refused.Code == "package_revoked" {
		return // the table asks for no particular challenge
	}
	if header != want || refused.ResourceMetadata != metadata {
		t.Errorf("challenge is %q, metadata %q, want %q", header, refused.ResourceMetadata, want)
	}
	if link := got.header.Get("Link"); link != "<"+h.url+`/icon.svg>; rel="icon"; type="image/svg+xml"` {
		t.Errorf("link is %q", link)
	}
}

// A body of unknown length is not read beyond the limit.
func TestRefusesALongBodyWithoutALength(t *testing.T) {
	h := newHosted(t)
	request := h.request(t, http.MethodPost, "/mcp", strings.Repeat(" ", host.MaxRequestBody+1), "Authorization",
		"Bearer "+bearer)
	request.ContentLength = -1
	if got := send(t, request); got.status != 413 || errorOf(t, got.body).Code != "request_too_large" {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}

// Covers R-HOST-4: while the authorization server is unreachable, only cached tokens are admitted.
func TestUnreachableAuthorizationServer(t *testing.T) {
	h := newHosted(t)
	if got := h.post(t, ping); got.status != 200 {
		t.Fatalf("answer is %d %s", got.status, got.body)
	}
	h.as.Close()
	if got := h.post(t, ping); got.status != 200 {
		t.Errorf("answer to a known token is %d %s, want what is cached", got.status, got.body)
	}
	got := send(t, h.request(t, http.MethodPost, "/mcp", ping, "Authorization", "Bearer tok-new-3fKq9aBcD7xY"))
	if got.status != 503 || errorOf(t, got.body).Code != "authorization_unavailable" ||
		got.header.Get("Retry-After") == "" {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}

// A page of the server's origin may use it, and pages of other origins may link to its pages.
func TestOwnOriginIsLetIn(t *testing.T) {
	h := newHosted(t)
	if got := h.post(t, ping, "Origin", h.url, "Sec-Fetch-Site", "same-origin"); got.status != 200 {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
	if got := send(t, h.request(t, http.MethodGet, "/dashboard/connect", "", "Sec-Fetch-Site",
		"cross-site")); got.status != 200 {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}

func TestUnknownPath(t *testing.T) {
	h := newHosted(t)
	got := send(t, h.request(t, http.MethodGet, "/mcp/more", ""))
	if got.status != 404 || errorOf(t, got.body).Code != "not_found" {
		t.Errorf("answer is %d %s", got.status, got.body)
	}
}

// The SDK's refusals of headers have the same form.
func TestRefusalsOfHeaders(t *testing.T) {
	h := newHosted(t)
	for _, test := range []struct {
		name, value string
		status      int
		code        string
	}{
		{"Content-Type", "text/plain", 415, "unsupported_media_type"},
		{"Content-Type", "", 415, "unsupported_media_type"},
		{"Accept", "application/json", 400, "invalid_request"},
		{"Mcp-Protocol-Version", "1999-01-01", 400, "invalid_request"},
	} {
		request := h.request(t, http.MethodPost, "/mcp", ping, "Authorization", "Bearer "+bearer)
		request.Header.Set(test.name, test.value)
		got := send(t, request)
		refused := errorOf(t, got.body)
		if got.status != test.status || refused.Code != test.code || refused.RequestID != got.header.Get("Request-Id") {
			t.Errorf("%s %q is answered %d %s, want %d %s", test.name, test.value, got.status, got.body, test.status, test.code)
		}
	}
}
