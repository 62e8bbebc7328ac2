package packaging_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// replica is one running pod.
type replica struct {
	name    string
	url     *url.URL
	metrics *url.URL
	pod     pod
	command *exec.Cmd
	ended   chan struct{}
}

// startReplica runs the program of a pod's image as the pod does, behind a public URL, and waits until it listens.
func startReplica(t *testing.T, name string, pod pod, p *provider, publicURL, collector string,
	flags ...string,
) *replica {
	t.Helper()
	caller := p.Authorization().Caller()
	arguments := append(pod.place(t, caller.Secret, map[string]string{
		"provider-url": p.url, "authorization-server": p.url, "introspection-client-id": caller.ID, "public-url": publicURL,
	}), flags...)
	program, _, _ := strings.Cut(pod.Image, ":")
	// The test's context ends before its clean-up, which ends the process.
	command := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(binaries, program), arguments...)
	command.Env = pod.environment(collector)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	r := &replica{name: name, pod: pod, command: command, ended: make(chan struct{})}
	lines := bufio.NewScanner(stderr)
	r.metrics = listening(t, lines, "metrics")
	r.url = listening(t, lines, "listening")
	go func() {
		defer close(r.ended)
		for lines.Scan() {
		}
		_ = command.Wait() // an error if it was killed
	}()
	t.Cleanup(r.kill)
	return r
}

// listening reads the log up to the line with an address, and returns its URL.
func listening(t *testing.T, lines *bufio.Scanner, message string) *url.URL {
	t.Helper()
	var read strings.Builder
	for lines.Scan() {
		read.WriteString(lines.Text() + "\n")
		var entry struct{ Msg, Address string }
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			t.Fatalf("the line %q is not JSON: %v", lines.Text(), err)
		}
		if entry.Msg == message {
			return &url.URL{Scheme: "http", Host: entry.Address}
		}
	}
	t.Fatalf("the server ended before it listened:\n%s", &read)
	return nil
}

// kill ends the process at once, like a machine that fails.
func (r *replica) kill() {
	_ = r.command.Process.Kill() // it may have ended already
	<-r.ended
}
