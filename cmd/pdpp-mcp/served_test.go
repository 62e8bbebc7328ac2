package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// provided is a sandbox on its own address, which its metadata names.
type provided struct {
	*sandbox.Sandbox
	url string

	mu   sync.Mutex
	hold func(*http.Request) // called before each read of a record; nil for none
	seen []string            // bearers of reads
}

func newProvided(t *testing.T) *provided {
	t.Helper()
	p := &provided{}
	p.Sandbox, p.url = sandboxtest.Serve(t, sandbox.Options{}, func(box *sandbox.Sandbox) http.Handler {
		handler := box.Handler()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/v1/") {
				p.note(r)
			}
			handler.ServeHTTP(w, r)
		})
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

// letGo releases the reads that a test holds up.
func (p *provided) letGo() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = nil
}

// take returns the bearers of the reads since the last time.
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
	log     *hosttest.Journal // complete after the process has ended
	logged  chan struct{}     // closed then
}

// startServe runs the real binary before a provider, and waits until it listens.
func startServe(t *testing.T, p *provided, flags ...string) *served {
	t.Helper()
	caller := p.Authorization().Caller()
	// The test's context ends before its clean-up, which ends the process.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "pdpp-mcp", append([]string{
		"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--log-format", "json", "--log-level", "debug",
		"--provider-url", p.url, "--authorization-server", p.url, "--introspection-client-id", caller.ID, patience,
	}, flags...)...)
	command.Env = append(os.Environ(), "PDPP_INTROSPECTION_CLIENT_SECRET="+caller.Secret)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s := &served{command: command, log: &hosttest.Journal{}, logged: make(chan struct{})}
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
			_, _ = s.log.Write(append(lines.Bytes(), '\n')) // it never fails
		}
	}()
	t.Cleanup(func() { s.end(t, syscall.SIGTERM) })
	return s
}

// read takes the address of the server or of its metrics from a line of the log.
func (s *served) read(t *testing.T, line []byte) {
	t.Helper()
	_, _ = s.log.Write(append(line, '\n')) // it never fails
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

// end signals the process, waits for it, and returns its log.
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

// connect opens a session of the SDK's client with a token.
func (s *served) connect(t *testing.T, token string) *mcp.ClientSession {
	t.Helper()
	return hosttest.ConnectHosted(t, s.url+"/mcp", token)
}
