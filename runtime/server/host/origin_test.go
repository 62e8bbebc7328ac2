package host_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"testing"
)

// resourceSeen requests the metadata as a peer and returns its resource, or the code of the error.
func resourceSeen(t *testing.T, handler http.Handler, peer, host string, header http.Header) string {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/.well-known/oauth-protected-resource/mcp", nil)
	request.RemoteAddr, request.Host, request.Header = peer, host, header
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		return errorOf(t, recorder.Body.String()).Code
	}
	var document struct{ Resource string }
	if err := json.Unmarshal(recorder.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document.Resource
}

func behindProxy(with *hostedWith) {
	with.options.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	with.options.AllowedHosts = []string{"mcp.example", "other.example:8443", "adapter"}
}

const (
	proxy    = "10.1.2.3:4000"
	stranger = "192.0.2.1:4000"
)

// Covers R-HOST-3: forwarded headers count only from a trusted proxy and only with an allowed host.
func TestPublicOrigin(t *testing.T) {
	h := newHosted(t, behindProxy)
	own := h.url + "/mcp"
	tests := []struct {
		name, peer, host string
		header           http.Header
		want             string
	}{
		{"direct", stranger, "mcp.example", nil, own},
		{
			"forwarded", proxy, "mcp.example",
			http.Header{"X-Forwarded-Host": {"mcp.example"}, "X-Forwarded-Proto": {"https"}},
			"https://mcp.example/mcp",
		},
		{
			"inner host", proxy, "adapter:8788",
			http.Header{"X-Forwarded-Host": {"MCP.example"}, "X-Forwarded-Proto": {"HTTPS"}},
			"https://mcp.example/mcp",
		},
		{
			"port of the scheme", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"mcp.example:443"}, "X-Forwarded-Proto": {"https"}},
			"https://mcp.example/mcp",
		},
		{
			"port of another scheme", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"mcp.example:80"}, "X-Forwarded-Proto": {"https"}},
			"https://mcp.example:80/mcp",
		},
		{
			"RFC 7239", proxy, "adapter",
			http.Header{"Forwarded": {`for=192.0.2.1;host="other.example:8443";proto=https`}},
			"https://other.example:8443/mcp",
		},
		{"RFC 7239 before the others", proxy, "adapter", http.Header{
			"Forwarded":        {"host=mcp.example"},
			"X-Forwarded-Host": {"other.example:8443"}, "X-Forwarded-Proto": {"https"},
		}, "http://mcp.example/mcp"},
		{
			"nearest proxy", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"evil.example, mcp.example"}, "X-Forwarded-Proto": {"http", "https"}},
			"https://mcp.example/mcp",
		},
		{
			"IPv6 proxy", "[fd00::1]:4000", "adapter",
			http.Header{"X-Forwarded-Host": {"mcp.example"}},
			"http://mcp.example/mcp",
		},
		{
			"IPv4 in IPv6", "[::ffff:10.1.2.3]:4000", "adapter",
			http.Header{"X-Forwarded-Host": {"mcp.example"}},
			"http://mcp.example/mcp",
		},
		{
			"untrusted peer", stranger, "localhost",
			http.Header{"X-Forwarded-Host": {"mcp.example"}, "X-Forwarded-Proto": {"https"}},
			own,
		},
		{
			"no port is not any port", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"other.example"}},
			"misdirected_request",
		},
		{
			"foreign forwarded host", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"evil.example"}},
			"misdirected_request",
		},
		{
			"foreign forwarded host by RFC 7239", proxy, "adapter",
			http.Header{"Forwarded": {"host=evil.example"}},
			"misdirected_request",
		},
		{
			"user name before the host", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"mcp.example@evil.example"}},
			"misdirected_request",
		},
		{
			"path behind the host", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"evil.example/mcp.example"}},
			"misdirected_request",
		},
		{
			"unknown scheme", proxy, "adapter",
			http.Header{"X-Forwarded-Host": {"mcp.example"}, "X-Forwarded-Proto": {"javascript"}},
			"http://mcp.example/mcp",
		},
		{
			"rebound host at a proxy", proxy, "evil.example",
			http.Header{"X-Forwarded-Host": {"mcp.example"}},
			"misdirected_request",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := resourceSeen(t, h, test.peer, test.host, test.header); got != test.want {
				t.Errorf("resource is %q, want %q", got, test.want)
			}
		})
	}
}

// Covers R-HOST-3: a configured origin takes precedence over a proxy's, and its host is allowed.
func TestConfiguredPublicOrigin(t *testing.T) {
	h := newHosted(t, behindProxy, func(with *hostedWith) { with.options.PublicURL = "https://Data.example/" })
	for _, peer := range []string{proxy, stranger} {
		header := http.Header{"X-Forwarded-Host": {"mcp.example"}, "X-Forwarded-Proto": {"http"}}
		if got := resourceSeen(t, h, peer, "data.example", header); got != "https://data.example/mcp" {
			t.Errorf("resource for %s is %q", peer, got)
		}
	}
}

// Covers R-HOST-9: an origin with the default port equals the one without, which browsers send.
func TestPublicOriginWithItsPort(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) { with.options.PublicURL = "https://data.example:443" })
	for origin, want := range map[string]int{
		"https://data.example": http.StatusUnauthorized, "https://data.example:443": http.StatusUnauthorized,
		"http://data.example": http.StatusForbidden, "https://data.example:8443": http.StatusForbidden,
		"https://data.example/page": http.StatusForbidden,
	} {
		request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		request.Host = "data.example"
		request.Header.Set("Origin", origin)
		recorder := httptest.NewRecorder()
		h.ServeHTTP(recorder, request)
		if recorder.Code != want {
			t.Errorf("a page of %s is answered with %d, want %d", origin, recorder.Code, want)
		}
	}
}

// FuzzForwardedHeaders checks that the origin is always one of this server's.
func FuzzForwardedHeaders(f *testing.F) {
	f.Add("mcp.example", "https", `for=1;host="mcp.example"`)
	f.Add("mcp.example, evil", "javascript", `host="a,b"`)
	f.Add("[::1]:80", "http", `host=`)
	h := newHosted(f, behindProxy)
	f.Fuzz(func(t *testing.T, host, scheme, forwarded string) {
		got := resourceSeen(t, h, proxy, "adapter", http.Header{
			"X-Forwarded-Host": {host}, "X-Forwarded-Proto": {scheme}, "Forwarded": {forwarded},
		})
		if got == "misdirected_request" {
			return
		}
		parsed, err := url.Parse(got)
		if err != nil {
			t.Fatalf("resource is %q: %v", got, err)
		}
		known := []string{"mcp.example", "other.example", "adapter", "localhost", "localhost."}
		address, err := netip.ParseAddr(parsed.Hostname())
		if isLoopback := err == nil && address.IsLoopback(); !isLoopback && !slices.Contains(known, parsed.Hostname()) &&
			parsed.Hostname() != "mcp.example." {
			t.Errorf("resource is %q", got)
		}
	})
}
