package rs_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-ERR-9: a provider is read through the proxy of the environment, which sees the host and no bearer. The error names
// the proxy without its password. This machine is read directly, and so are the hosts of NO_PROXY.
func TestProxyOfTheEnvironment(t *testing.T) {
	var seen []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.Host+" "+r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	host := strings.TrimPrefix(proxy.URL, "http://")
	if host := os.Getenv("PROXY_OF_TEST"); host != "" {
		readThrough(t, host)
		return
	}
	// a process reads its variables once
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyOfTheEnvironment$")
	child.Env = append(os.Environ(), "PROXY_OF_TEST="+host, "HTTPS_PROXY=http://user:password@"+host,
		"HTTP_PROXY=http://"+host, "NO_PROXY=direct.invalid")
	if printed, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, printed)
	}
	for _, request := range seen {
		if request != "CONNECT pdpp.invalid:443 " {
			t.Errorf("the proxy saw %q", request)
		}
	}
	if len(seen) == 0 {
		t.Error("the proxy saw nothing")
	}
}

// readThrough reads providers in a process with the variables.
func readThrough(t *testing.T, host string) {
	t.Helper()
	for address, want := range map[string]string{
		"https://pdpp.invalid":   "through the proxy http://" + host,
		"https://direct.invalid": "cannot be reached",
		"http://127.0.0.1:1":     "cannot be reached",
	} {
		client, err := rs.NewClient(rs.Options{BaseURL: address, Bearer: rs.NewSecret("bearer-of-this-test")})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Get(t.Context(), rs.Request{Path: "/v1/schema"})
		var failure *rs.Failure
		if !errors.As(err, &failure) || failure.Reason != rs.Unreachable || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "password") {
			t.Errorf("%s: %v", address, err)
		}
		if isDirect := !strings.Contains(want, "proxy"); isDirect == (rs.ProxyFor(address) != nil) || isDirect &&
			strings.Contains(err.Error(), host) {
			t.Errorf("%s: read through %v, %v", address, rs.ProxyFor(address), err)
		}
	}
}
