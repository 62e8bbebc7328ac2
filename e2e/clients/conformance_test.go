//go:build clients

package clients_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/time/rate"
)

// revisions are those whose requirements the suite has frozen.
var revisions = []string{"2025-11-25", "2026-07-28"}

// TestConformance runs the official suite against `pdpp-mcp serve` (R-HOST-1). What a product without fixtures cannot
// pass is listed in testdata/conformance, each entry with its reason; an entry that passes fails the test too.
func TestConformance(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			suite := newSuiteProxy(t, 15) // a server allows 20 to one caller
			suite.forward(t, pdpp.serve(t, "--public-url", suite.origin))
			runSuite(t, suite.origin, revision, "--expected-failures", filepath.Join("testdata", "conformance", revision+".yml"))
		})
	}
}

// TestConformanceOfTheHTTPStack runs it against the same stack with every fixture mounted: each scored scenario passes
// (R-HOST-1).
func TestConformanceOfTheHTTPStack(t *testing.T) {
	program := buildEverything(t)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			stateless := "-stateless=true"
			if revision < "2026-07-28" {
				stateless = "-stateless=false" // its fixtures ask the client, on the stream of a session
			}
			command := exec.Command(program, "-http", "127.0.0.1:0", stateless, "-bearer", pdpp.Tokens["everything"], "-provider-url", pdpp.URL,
				"-introspection-url", pdpp.IntrospectionURL, "-introspection-client-id", pdpp.ClientID,
				"-introspection-client-secret", pdpp.ClientSecret)
			stdout, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			command.Stderr = os.Stderr
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = stop(command) }) // the error only says that a signal ended it
			lines := bufio.NewScanner(stdout)
			if !lines.Scan() {
				t.Fatal("the server ended before it listened")
			}
			runSuite(t, lines.Text(), revision)
		})
	}
}

// buildEverything compiles the command in everything/ together with the fixtures of the SDK, whose main function gives
// way to ours.
func buildEverything(t *testing.T) string {
	t.Helper()
	found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/modelcontextprotocol/go-sdk").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(found)), "conformance", "everything-server", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.Replace(string(source), "\nfunc main() {", "\nfunc _() {", 1)
	folder := t.TempDir()
	place, err := filepath.Abs(filepath.Join("everything", "fixtures.go"))
	if err != nil {
		t.Fatal(err)
	}
	fixtures, overlay := filepath.Join(folder, "fixtures.go"), filepath.Join(folder, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {place: fixtures}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{fixtures: renamed, overlay: string(replaced)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(folder, "everything")
	build := exec.Command("go", "build", "-tags", "conformance", "-overlay", overlay, "-o", program, "./everything")
	if printed, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	return program
}

// suiteProxy forwards the suite's requests to pdpp-mcp, adds a bearer and limits their rate. It opens a connection for every
// request and reads the body first: with shared connections, the reverse proxy sometimes cut a body off under load, and
// the suite took the answer for a failed one.
type suiteProxy struct {
	server *httptest.Server
	origin string
	pace   *rate.Limiter
}

// newSuiteProxy listens, so that its origin is known, and forwards nothing yet. The pace is in requests a second.
func newSuiteProxy(t *testing.T, pace rate.Limit) *suiteProxy {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	t.Cleanup(server.Close)
	return &suiteProxy{server, "http://" + server.Listener.Addr().String(), rate.NewLimiter(pace, 40)}
}

// forward starts to forward requests, unchanged but for the bearer.
func (s *suiteProxy) forward(t *testing.T, origin string) {
	t.Helper()
	target, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{DisableKeepAlives: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+pdpp.Tokens["everything"])
		},
	}
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || s.pace.Wait(r.Context()) != nil {
			return // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})
	s.server.Start()
}

// runSuite runs the suite against the server at an origin, and checks its findings.
func runSuite(t *testing.T, origin, revision string, flags ...string) {
	t.Helper()
	suite := filepath.Join(packages, "..", "@modelcontextprotocol", "conformance", "dist", "index.js")
	command := exec.CommandContext(t.Context(), filepath.Join(packages, "node"), append([]string{
		suite, "server", "--url", origin + "/mcp", "--requirements", revision, "--timeout", "60000",
	}, flags...)...)
	printed, err := command.CombinedOutput()
	_, summary, _ := strings.Cut(string(printed), "=== SUMMARY ===")
	t.Log(summary)
	if err != nil {
		t.Errorf("%v\n%s", err, printed)
	}
}
