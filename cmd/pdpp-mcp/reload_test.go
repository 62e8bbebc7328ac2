package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// vault is the introspection endpoint of a provider whose secrets change.
type vault struct {
	*httptest.Server

	mu    sync.Mutex
	taken map[string]bool
}

func newVault(t *testing.T, p *provided, secrets ...string) *vault {
	t.Helper()
	v := &vault{taken: make(map[string]bool)}
	v.take(secrets...)
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, secret, _ := r.BasicAuth()
		v.mu.Lock()
		isTaken := v.taken[secret]
		v.mu.Unlock()
		if !isTaken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		asked, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, p.url+"/introspect", bytes.NewReader(body))
		asked.Header.Set("Content-Type", r.Header.Get("Content-Type"))
		caller := p.Authorization().Caller()
		asked.SetBasicAuth(url.QueryEscape(caller.ID), url.QueryEscape(caller.Secret))
		answered, err := http.DefaultTransport.RoundTrip(asked)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answered.Body.Close()
		w.Header().Set("Content-Type", answered.Header.Get("Content-Type"))
		w.WriteHeader(answered.StatusCode)
		_, _ = io.Copy(w, answered.Body)
	}))
	t.Cleanup(v.Close)
	return v
}

// take makes these the secrets that are taken.
func (v *vault) take(secrets ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.taken)
	for _, secret := range secrets {
		v.taken[secret] = true
	}
}

// callers keep a server busy each with its own connection, one call after the other.
type callers struct {
	stop chan struct{}
	all  sync.WaitGroup

	mu       sync.Mutex
	answered int
	failed   error
	came     *sync.Cond // an answer
}

func startCallers(t *testing.T, number int, endpoint, token string) *callers {
	t.Helper()
	c := &callers{stop: make(chan struct{})}
	c.came = sync.NewCond(&c.mu)
	for range number {
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		c.all.Go(func() {
			for {
				select {
				case <-c.stop:
					return
				default:
				}
				c.note(callOnce(transport, endpoint, token))
			}
		})
	}
	t.Cleanup(c.end)
	return c
}

func (c *callers) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered++
	c.failed = cmp.Or(c.failed, err)
	c.came.Broadcast()
}

func callOnce(transport *http.Transport, endpoint, token string) error {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records",` +
		`"arguments":{"stream":"messages","limit":1}}}`
	request, err := http.NewRequest(http.MethodPost, endpoint, strings.NewReader(call)) //nolint:noctx // it outlives the test's context
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream",
	} {
		request.Header.Set(name, value)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), `"result"`) ||
		strings.Contains(string(body), `"isError":true`) {
		return fmt.Errorf("%w %d: %.300s", err, response.StatusCode, body)
	}
	return nil
}

// more waits until every caller had some more answers, and none failed.
func (c *callers) more(t *testing.T, answers int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for until := c.answered + answers; c.answered < until && c.failed == nil; {
		c.came.Wait()
	}
	if c.failed != nil {
		t.Fatalf("a call failed: %v", c.failed)
	}
}

// until calls on until the metrics of the server have a line.
func (c *callers) until(t *testing.T, s *served, line string) {
	t.Helper()
	for {
		if _, metrics := get(t, s.metrics); strings.Contains(metrics, line) {
			return
		}
		c.more(t, 64)
	}
}

func (c *callers) end() {
	select {
	case <-c.stop:
	default:
		close(c.stop)
	}
	c.all.Wait()
}

// replaceFile puts a new file in the place of another, as an orchestrator does with secrets.
func replaceFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// Covers R-OPS-3: with 64 connections busy, the secret of introspection is rotated, a wrong one is put in its place,
// the configuration changes, and a broken one is put in its place. No call fails, and what is refused is named.
func TestReloadUnderLoad(t *testing.T) {
	const first, second, wrong = "first-secret-of-a-test", "second-secret-of-a-test", "wrong-secret-of-a-test"
	p := newProvided(t)
	v := newVault(t, p, first)
	directory := t.TempDir()
	secret, settings := filepath.Join(directory, "secret"), filepath.Join(directory, "config.yaml")
	replaceFile(t, secret, first+"\n")
	const limits = "caller-concurrency: 1000\ncaller-rate: 1e6\n"
	replaceFile(t, settings, limits+"server-name: before\nintrospection-client-secret-file: "+secret+
		"\nintrospection-url: "+v.URL+"\n")
	s := startServe(t, p, "--config", settings)
	token := p.Tokens()["everything"]
	load := startCallers(t, 64, s.url+"/mcp", token)
	load.more(t, 640)

	v.take(first, second)
	replaceFile(t, secret, second+"\n")
	s.log.Await("the introspection secret was read again") // without a signal
	v.take(second)
	load.more(t, 640)
	replaceFile(t, secret, wrong+"\n")
	load.more(t, 640)
	load.until(t, s, `pdpp_mcp_change_refused{what="secret"} 1`)
	replaceFile(t, secret, "") // no secret at all
	load.more(t, 640)
	replaceFile(t, secret, second)
	load.until(t, s, `pdpp_mcp_change_refused{what="secret"} 0`)

	hangUp := func() {
		if err := s.command.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	replaceFile(t, settings, strings.Replace(limits, "1000", "2000", 1)+
		"server-name: after\nslow-call: 1ns\ndrain-delay: 1ms\nlisten: 127.0.0.1:1\nintrospection-client-secret-file: "+
		secret+"\nintrospection-url: "+v.URL+"\n")
	hangUp()
	for s.connect(t, token).InitializeResult().ServerInfo.Name != "after" {
		load.more(t, 64)
	}
	replaceFile(t, settings, "listn: x\ncaller-rate: fast\n")
	hangUp()
	load.more(t, 640)
	load.until(t, s, `pdpp_mcp_change_refused{what="settings"} 1`)
	load.end()
	if name := s.connect(t, token).InitializeResult().ServerInfo.Name; name != "after" {
		t.Errorf("the server calls itself %q", name)
	}
	log := s.end(t, syscall.SIGTERM)
	for _, stderr := range []string{
		"the new introspection secret is refused", "check the client id and secret for introspection", secret,
		"the introspection secret was read again",
		`"msg":"slow call","method":"tools/call","tool":"query_records","code":"ok"`,
		`"reads":[{"url":"/v1/streams/{stream}/records","status":200,"requests":1,`,
		`"msg":"settings reloaded","changed":"caller-concurrency, server-name, slow-call"`,
		`"msg":"these settings take effect after a restart","settings":"drain-delay"`, // --listen was passed as a flag
		"invalid settings; the server keeps the old ones", `config.yaml:1: unknown setting \"listn\"; did you mean listen?`,
		"config.yaml:2: caller-rate",
	} {
		if !strings.Contains(log, stderr) {
			t.Errorf("the log lacks %q", stderr)
		}
	}
	for _, hidden := range []string{first, second, wrong, token} {
		if strings.Contains(log, hidden) {
			t.Errorf("the log holds %s", hidden)
		}
	}
	t.Logf("%d calls", load.answered)
}
