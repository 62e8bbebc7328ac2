package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// The healthcheck command succeeds only while the server is up.
func TestHealthcheck(t *testing.T) {
	p := newProvided(t)
	s := startServe(t, p)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	for _, listen := range []string{"127.0.0.1:" + port, "0.0.0.0:" + port, ":" + port} {
		healthcheck(t, listen, invocation.ExitOK, "")
	}
	s.end(t, syscall.SIGTERM)
	healthcheck(t, "127.0.0.1:"+port, invocation.ExitUnreachable, "no healthy server at 127.0.0.1:"+port)
	healthcheck(t, "nowhere", invocation.ExitUsage, `invalid --listen "nowhere": use an address`)
}

func TestHealthcheckOfAnotherServer(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	healthcheck(t, strings.TrimPrefix(other.URL, "http://"), invocation.ExitUnreachable, "it answered 404")
}

// healthcheck runs the command with PDPP_LISTEN, and expects an exit code and a part of the one line on stderr.
func healthcheck(t *testing.T, listen string, code int, stderr string) {
	t.Helper()
	out, problems, got := runProgram(t, []string{"PDPP_LISTEN=" + listen}, "healthcheck")
	if output := out + problems; got != code || !strings.Contains(output, stderr) ||
		(code == invocation.ExitOK && output != "") {
		t.Errorf("healthcheck of %s ended with %d and %q, want %d and %q", listen, got, output, code, stderr)
	}
}
