package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
)

// TestServe runs the real binary with one sandbox for all parts, since loading its data is slow.
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

// callText calls a tool that must not fail, and returns its text.
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

// toolsOf returns the tools of an answer, byte for byte.
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

// Covers R-SURF-1 and R-HOST-1: the tools of stdio, byte for byte.
func servedToolsAreThoseOfStdio(t *testing.T, p *provided) {
	t.Helper()
	token := p.Tokens()["everything"]
	stdio := exec.CommandContext(t.Context(), "pdpp-mcp", "stdio", "--provider-url", p.url)
	stdio.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN="+token)
	stdio.Stdin = strings.NewReader(handshake + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		listTools + "\n")
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
	response, err = (hosttest.WithBearer{Token: token}).RoundTrip(request)
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
	if count, want := strings.Count(tools, `"inputSchema"`), len(gen.Surface().Tools); count != want {
		t.Errorf("%d tools are listed, want %d", count, want)
	}
}

// Covers R-HOST-1, R-HOST-4, R-HOST-5 and R-PKG-1: client and package tokens read from the schema to a field, each with
// its own bearers.
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
			_, id, _ := strings.Cut(found, "\n[")
			id, _, _ = strings.Cut(id, ",")
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
		response, err := (hosttest.WithBearer{Token: p.Tokens()[token]}).RoundTrip(request)
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

// Covers R-HOST-9 with the real process: SIGTERM ends readiness, and a call in flight is answered.
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
	defer let() // else the sandbox would wait for it
	first := sync.OnceFunc(func() { close(arrived) })
	p.hold = func(*http.Request) { first(); <-release }
	p.mu.Unlock()
	defer p.letGo()
	answer := make(chan string, 1)
	go func() {
		result, err := session.CallTool(t.Context(),
			&mcp.CallToolParams{Name: "search", Arguments: json.RawMessage(`{"q":"overdraft"}`)})
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
	for deadline := time.Now().Add(time.Minute); !drained; {
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
	if text := <-answer; !strings.Contains(text, "\n[\"") {
		t.Errorf("the call under way got %q", text)
	}
	<-s.logged
	if err := s.command.Wait(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, s.log)
	}
}

// Covers R-ERR-6 for the process: its log and its metrics, which have their own address, contain no secrets.
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
