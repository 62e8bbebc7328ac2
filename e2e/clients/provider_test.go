//go:build clients

package clients_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// provider is a running pdpp-sandbox.
type provider struct {
	URL              string            `json:"url"`
	CredentialFile   string            `json:"credential_file"`
	Tokens           map[string]string `json:"tokens"`
	IntrospectionURL string            `json:"introspection_url"`
	ClientID         string            `json:"introspection_client_id"`
	ClientSecret     string            `json:"introspection_client_secret"`
}

// startSandbox runs pdpp-sandbox until end is called. Its files are in the folder.
func startSandbox(folder string, flags ...string) (p *provider, end func(), err error) {
	ready := filepath.Join(folder, "ready.json")
	command := exec.Command(filepath.Join(programs, "pdpp-sandbox"), append([]string{
		"--listen", "127.0.0.1:0", "--cache-root", filepath.Join(folder, "cache"), "--ready-file", ready,
	}, flags...)...)
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the sandbox: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the sandbox: %w", err)
	}
	end = func() { _ = stop(command) } // the tests are over
	// The first line is written when the ready file is complete.
	bufio.NewScanner(stdout).Scan()
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	content, err := os.ReadFile(ready)
	if err == nil {
		p = &provider{}
		err = json.Unmarshal(content, p)
	}
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("the sandbox is not ready: %w", err)
	}
	return p, end, nil
}

// serve runs `pdpp-mcp serve` for the provider until the test ends, and returns its origin.
func (p *provider) serve(t *testing.T, flags ...string) string {
	t.Helper()
	return p.serveNoting(t, func(string) {}, flags...)
}

// serveNoting is serve, and notes the method of each MCP message, one at a time.
func (p *provider) serveNoting(t *testing.T, note func(method string), flags ...string) string {
	t.Helper()
	// The test's context ends before its clean-up, which stops the process itself.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(programs, "pdpp-mcp"), append([]string{
		"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--provider-url", p.URL,
		"--authorization-server", p.URL, "--introspection-client-id", p.ClientID,
	}, flags...)...)
	command.Env = append(os.Environ(), "PDPP_INTROSPECTION_CLIENT_SECRET="+p.ClientSecret)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(command); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		var entry struct{ Msg, Address string }
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			t.Fatalf("the line %q is not JSON: %v", lines.Text(), err)
		}
		if entry.Msg == "listening" {
			go func() {
				for lines.Scan() {
					var request struct{ Msg, Method string }
					if json.Unmarshal(lines.Bytes(), &request) == nil && request.Msg == "request" {
						note(request.Method)
					}
				}
				_, _ = io.Copy(io.Discard, stderr) // the rest behind a line that is too long
			}()
			return "http://" + strings.TrimPrefix(entry.Address, "http://")
		}
	}
	t.Fatal("the server ended before it listened")
	return ""
}

// stop ends a process, by force if need be, and waits for it.
func stop(command *exec.Cmd) error {
	_ = command.Process.Signal(syscall.SIGTERM) // it may have ended already
	kill := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	defer kill.Stop()
	return command.Wait()
}
