package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/sandbox"
)

// provided is a sandbox on an address of its own, whose metadata can be followed.
type provided struct {
	*sandbox.Sandbox
	url string

	mu   sync.Mutex
	hold func(*http.Request) // called before each read of a record; nil for none
	seen []string            // bearers of reads
}

func newProvided(t *testing.T) *provided {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	url := "http://" + server.Listener.Addr().String()
	box, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: url})
	if err != nil {
		t.Fatal(err)
	}
	p := &provided{Sandbox: box, url: url}
	handler := box.Handler()
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			p.note(r)
		}
		handler.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *provided) note(r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	hold := p.hold
	p.mu.Unlock()
	if hold != nil {
		hold(r)
	}
}

// letGo ends what a test has held up.
func (p *provided) letGo() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = nil
}

// take gives the bearers of the reads since the last time.
func (p *provided) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen
	p.seen = nil
	return seen
}

// served is a running `pdpp-mcp serve`.
type served struct {
	url     string // of the server
	metrics string // of its metrics
	command *exec.Cmd
	log     *strings.Builder // complete after the process has ended
	logged  chan struct{}    // closed then
}

// startServe runs the real binary before a provider, and waits until it listens.
func startServe(t *testing.T, p *provided, flags ...string) *served {
	t.Helper()
	caller := p.Authorization().Caller()
	// The test's context ends before its clean-up, which ends the process by its own means.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "pdpp-mcp", append([]string{
		"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "debug",
		"--provider-url", p.url, "--authorization-server", p.url, "--introspection-client-id", caller.ID,
	}, flags...)...)
	command.Env = append(os.Environ(), "PDPP_INTROSPECTION_CLIENT_SECRET="+caller.Secret)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s := &served{command: command, log: &strings.Builder{}, logged: make(chan struct{})}
	lines := bufio.NewScanner(stderr)
	for s.url == "" {
		if !lines.Scan() {
			t.Fatalf("the server ended before it listened:\n%s", s.log)
		}
		s.read(t, lines.Bytes())
	}
	go func() {
		defer close(s.logged)
		for lines.Scan() {
			s.log.WriteString(lines.Text() + "\n")
		}
	}()
	t.Cleanup(func() { s.end(t, syscall.SIGTERM) })
	return s
}

// read takes an address out of a line of the log.
func (s *served) read(t *testing.T, line []byte) {
	t.Helper()
	s.log.Write(append(line, '\n'))
	var entry struct{ Msg, Address string }
	if err := json.Unmarshal(line, &entry); err != nil {
		t.Fatalf("the line %q is not JSON: %v", line, err)
	}
	switch entry.Msg {
	case "metrics":
		s.metrics = "http://" + entry.Address + "/metrics"
	case "listening":
		s.url = "http://" + entry.Address
	}
}

// end tells the process to end, waits for it, and gives its log.
func (s *served) end(t *testing.T, signal os.Signal) string {
	t.Helper()
	if s.command.ProcessState != nil {
		return s.log.String()
	}
	if err := s.command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	<-s.logged
	if err := s.command.Wait(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, s.log)
	}
	return s.log.String()
}

// TestServe runs the real binary before one sandbox, which takes its time to fill.
func TestServe(t *testing.T) {
	p := newProvided(t)
	for name, test := range map[string]func(*testing.T, *provided){
		"the tools are those of stdio":    servedToolsAreThoseOfStdio,
		"each journey has its own bearer": servedJourneys,
		"tokens by kind":                  servedTokensByKind,
		"a signal drains":                 signalDrainsServe,
		"secrets are kept":                serveKeepsSecretsToItself,
	} {
		t.Run(name, func(t *testing.T) {
			p.take()
			test(t, p)
		})
	}
}

// withBearer sends every request with a token.
type withBearer struct{ token string }

func (b withBearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(request)
}

// connect opens a session of the SDK's client with a token.
func (s *served) connect(t *testing.T, token string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: withBearer{token}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// callText calls a tool that must not fail, and gives its text.
func callText(t *testing.T, session *mcp.ClientSession, name, arguments string) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		t.Fatalf("%s %s failed: %s", name, arguments, text)
	}
	return text
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"

const listTools = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`

// toolsOf gives the tools of an answer, byte for byte.
func toolsOf(t *testing.T, answer []byte) string {
	t.Helper()
	var decoded struct {
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &decoded); err != nil || decoded.Result.Tools == nil {
		t.Fatalf("%s lists no tools: %v", answer, err)
	}
	return string(decoded.Result.Tools)
}

// Covers R-SURF-1 and R-HOST-1: the six tools of stdio, byte for byte.
func servedToolsAreThoseOfStdio(t *testing.T, p *provided) {
	t.Helper()
	token := p.Tokens()["everything"]
	stdio := exec.CommandContext(t.Context(), "pdpp-mcp", "stdio", "--provider-url", p.url)
	stdio.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN="+token)
	stdio.Stdin = strings.NewReader(handshake + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + listTools + "\n")
	output, err := stdio.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, overStdio, _ := strings.Cut(string(output), "\n")

	s := startServe(t, p)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", strings.NewReader(listTools))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("MCP-Protocol-Version", "2025-06-18")
	response, err := http.DefaultClient.Do(request.Clone(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a bearer the status is %d", response.StatusCode)
	}
	request.Body, _ = request.GetBody()
	response, err = (withBearer{token}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	overHTTP, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	tools := toolsOf(t, overHTTP)
	if diff := cmp.Diff(toolsOf(t, []byte(overStdio)), tools); diff != "" {
		t.Errorf("tools (-stdio +HTTP):\n%s", diff)
	}
	if count := strings.Count(tools, `"inputSchema"`); count != 6 {
		t.Errorf("%d tools are listed, want 6", count)
	}
}

// Covers R-HOST-1, R-HOST-4, R-HOST-5 and R-PKG-1: client and package tokens walk from the schema to a field, and each
// reads with its own bearers.
func servedJourneys(t *testing.T, p *provided) {
	t.Helper()
	s := startServe(t, p)
	tokens := p.Tokens()
	members := make(map[string]bool)
	for _, member := range p.Authorization().Members("package") {
		members[member.AccessToken] = true
	}
	tests := []struct {
		token string
		owns  func(bearer string) bool
	}{
		{"everything", func(bearer string) bool { return bearer == tokens["everything"] }},
		{"gmail_personal", func(bearer string) bool { return bearer == tokens["gmail_personal"] }},
		{"package", func(bearer string) bool { return members[bearer] }},
	}
	for _, test := range tests {
		t.Run(test.token, func(t *testing.T) {
			session := s.connect(t, tokens[test.token])
			if schema := callText(t, session, "schema", `{}`); !strings.Contains(schema, "messages") {
				t.Errorf("the schema lacks messages: %s", schema)
			}
			found := callText(t, session, "search", `{"q":"overdraft"}`)
			_, id, _ := strings.Cut(found, "first_fetch_id=")
			id, _, _ = strings.Cut(id, "\n")
			id, _, _ = strings.Cut(id, " ")
			if document := callText(t, session, "fetch", `{"id":`+id+`}`); !strings.Contains(document, `"text"`) {
				t.Errorf("the document of %s is %s", id, document)
			}
			for _, bearer := range p.take() {
				if !test.owns(bearer) {
					t.Errorf("a read of %s went out with another bearer", test.token)
				}
			}
		})
	}
}

// Covers R-HOST-4 over the real authorization server of the sandbox, whose metadata names the introspection endpoint.
func servedTokensByKind(t *testing.T, p *provided) {
	t.Helper()
	s := startServe(t, p)
	for token, status := range map[string]int{
		"everything": 200, "package": 200, "owner": 403, "revoked": 401, "expired": 401, "package_revoked": 401,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/mcp", strings.NewReader(listTools))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := (withBearer{p.Tokens()[token]}).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("%s: status is %d, want %d", token, response.StatusCode, status)
		}
	}
	if seen := p.take(); len(seen) > 0 {
		t.Errorf("the RS saw %d reads, want none", len(seen))
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// Covers R-HOST-9 with the real process: SIGTERM takes readiness away, and the call under way is answered.
func signalDrainsServe(t *testing.T, p *provided) {
	t.Helper()
	s := startServe(t, p)
	session := s.connect(t, p.Tokens()["everything"])
	if status, body := get(t, s.url+"/readyz"); status != http.StatusOK {
		t.Fatalf("not ready: %d %s", status, body)
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	p.mu.Lock()
	let := sync.OnceFunc(func() { close(release) })
	defer let() // the sandbox waits for it, however the test ends
	first := sync.OnceFunc(func() { close(arrived) })
	p.hold = func(*http.Request) { first(); <-release }
	p.mu.Unlock()
	defer p.letGo()
	answer := make(chan string, 1)
	go func() {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: json.RawMessage(`{"q":"overdraft"}`)})
		if err != nil || result.IsError {
			answer <- ""
			return
		}
		answer <- result.Content[0].(*mcp.TextContent).Text
	}()
	<-arrived
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	drained := false
	for deadline := time.Now().Add(10 * time.Second); !drained; {
		status, body := get(t, s.url+"/readyz")
		drained = status == http.StatusServiceUnavailable && strings.Contains(body, "draining")
		if time.Now().After(deadline) {
			t.Fatal("the server is still ready")
		}
	}
	if status, body := get(t, s.metrics); status != http.StatusOK || !strings.Contains(body, "pdpp_mcp_") {
		t.Errorf("the metrics are gone while a call is under way: %d", status)
	}
	let()
	if text := <-answer; !strings.Contains(text, "first_fetch_id=") {
		t.Errorf("the call under way got %q", text)
	}
	<-s.logged
	if err := s.command.Wait(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, s.log)
	}
}

// Covers R-ERR-6 for the process: nothing secret in its log or its metrics, which have an address of their own.
func serveKeepsSecretsToItself(t *testing.T, p *provided) {
	t.Helper()
	s := startServe(t, p)
	for _, token := range []string{"everything", "package", "narrow"} {
		session := s.connect(t, p.Tokens()[token])
		callText(t, session, "search", `{"q":"overdraft"}`)
		callText(t, session, "schema", `{}`)
	}
	_, metrics := get(t, s.metrics)
	for _, want := range []string{
		`pdpp_mcp_calls_total{tool="search",code="ok"} 3`, `pdpp_mcp_package_children_total{result="answered"}`,
		`pdpp_mcp_introspections_total{result="answered"} 3`, `pdpp_mcp_introspections_total{result="cache_hit"}`,
		`pdpp_mcp_rs_requests_total{status="2xx"}`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if status, _ := get(t, s.url+"/metrics"); status != http.StatusNotFound {
		t.Errorf("the public address answers /metrics with %d", status)
	}
	log := s.end(t, syscall.SIGTERM)
	secrets := []string{p.Authorization().Caller().Secret, "overdraft"}
	for _, token := range p.Tokens() {
		secrets = append(secrets, token)
	}
	for _, member := range p.Authorization().Members("package") {
		secrets = append(secrets, member.AccessToken)
	}
	for _, secret := range secrets {
		if strings.Contains(metrics, secret) || strings.Contains(log, secret) {
			t.Errorf("%q is shown in the metrics or in the log", secret)
		}
	}
	if strings.Count(log, `"tool":"search","code":"ok"`) != 3 {
		t.Errorf("the log lacks the calls:\n%s", log)
	}
}

// The collector runs less often in a server, unless somebody has set it.
func TestGCPercentOfServe(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "100")
	raiseGCPercent()
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("GOGC is set, and the percentage is %d", percent)
	}
	t.Setenv("GOGC", "")
	raiseGCPercent()
	if percent := debug.SetGCPercent(100); percent != gcPercent {
		t.Errorf("the percentage is %d, want %d", percent, gcPercent)
	}
}
