package packaging_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// replica is one running `pdpp-mcp serve`.
type replica struct {
	name    string
	url     *url.URL
	command *exec.Cmd
	ended   chan struct{}
}

// startReplica runs the real program behind a public URL, and waits until it listens.
func startReplica(t *testing.T, name string, p *provider, publicURL string, flags ...string) *replica {
	t.Helper()
	caller := p.Authorization().Caller()
	// The test's context ends before its clean-up, which ends the process.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), binary, append([]string{
		"serve", "--listen", "127.0.0.1:0", "--public-url", publicURL, "--log-format", "json",
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
	r := &replica{name: name, command: command, ended: make(chan struct{})}
	lines := bufio.NewScanner(stderr)
	r.url = listening(t, lines)
	go func() {
		defer close(r.ended)
		for lines.Scan() {
		}
		_ = command.Wait() // an error if it was killed
	}()
	t.Cleanup(r.kill)
	return r
}

// listening reads the log up to the line with the address, and returns its URL.
func listening(t *testing.T, lines *bufio.Scanner) *url.URL {
	t.Helper()
	var read strings.Builder
	for lines.Scan() {
		read.WriteString(lines.Text() + "\n")
		var entry struct{ Msg, Address string }
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			t.Fatalf("the line %q is not JSON: %v", lines.Text(), err)
		}
		if entry.Msg == "listening" {
			return &url.URL{Scheme: "http", Host: entry.Address}
		}
	}
	t.Fatalf("the server ended before it listened:\n%s", &read)
	return nil
}

// kill ends the process at once, like a machine that fails.
func (r *replica) kill() {
	_ = r.command.Process.Kill() // it may have ended by itself
	<-r.ended
}
