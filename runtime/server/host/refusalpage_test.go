package host_test

import (
	"net/http"
	"strings"
	"testing"
)

const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// R-HOST-4, R-HOST-7: a browser gets a page with a link for a wrong path or the MCP URL. A program gets JSON. Status
// and challenge are the same.
func TestBrowsersAreRefusedWithAPage(t *testing.T) {
	h := newHosted(t)
	tests := []struct {
		method, path, accept string
		header               []string
		status               int
		page                 string // empty: JSON
	}{
		{"GET", "/nothing", browserAccept, nil, 404, "Page not found"},
		{"HEAD", "/nothing", browserAccept, nil, 404, ""},
		{"GET", "/nothing", "*/*", nil, 404, ""},
		{"GET", "/nothing", "application/json, text/html", nil, 404, ""},
		{"POST", "/nothing", browserAccept, nil, 404, ""},
		{"GET", "/mcp", browserAccept, nil, 401, "This address is for AI apps"},
		{"GET", "/mcp", "text/event-stream", nil, 401, ""},
		{"GET", "/mcp", browserAccept, []string{"Authorization", "Basic x"}, 401, ""},
		{"PUT", "/mcp", browserAccept, nil, 405, ""},
		{"GET", "/llms.txt", "*/*", []string{"Range", "bytes=99999999-"}, 416, ""},
		{"HEAD", "/llms.txt", "*/*", []string{"Range", "bytes=99999999-"}, 416, ""},
	}
	for _, test := range tests {
		request := h.request(t, test.method, test.path, "", test.header...)
		request.Header.Set("Accept", test.accept)
		got := send(t, request)
		if got.status != test.status || (got.status == 401) != (got.header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s %s is %d with the challenge %q", test.method, test.path, got.status, got.header.Get("WWW-Authenticate"))
		}
		if test.page == "" {
			if test.method != http.MethodHead && errorOf(t, got.body).Code == "" {
				t.Errorf("%s %s for %s is %s", test.method, test.path, test.accept, got.body)
			}
			continue
		}
		if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") ||
			!strings.Contains(got.body, "<h1>"+test.page+"</h1>") ||
			!strings.Contains(got.body, `href="/dashboard/connect"`) ||
			!strings.HasPrefix(got.header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") {
			t.Errorf("%s %s is %v:\n%s", test.method, test.path, got.header, got.body)
		}
	}
}

// A page on a host that is not allowed has no link, because that would be refused too.
func TestMisdirectedBrowserGetsAPage(t *testing.T) {
	h := newHosted(t)
	request := h.request(t, http.MethodGet, "/", "")
	request.Host = "evil.example"
	request.Header.Set("Accept", browserAccept)
	if got := send(t, request); got.status != 421 || !strings.Contains(got.body, "<h1>Host not allowed</h1>") ||
		strings.Contains(got.body, "href=") {
		t.Errorf("answered %d %s", got.status, got.body)
	}
}
