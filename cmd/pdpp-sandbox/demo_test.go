package main

import (
	"encoding/json"
	"errors"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDemonstration runs what make demo runs: a real adapter process answers, and what is printed for
// hosts starts that same process.
func TestDemonstration(t *testing.T) {
	directory := t.TempDir()
	adapter := filepath.Join(directory, "pdpp-mcp")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", adapter,
		"../pdpp-mcp").CombinedOutput(); err != nil {
		t.Fatalf("build the adapter: %v\n%s", err, output)
	}
	root := filepath.Join(directory, "cache of mine")
	r := start(t, "--cache-root", root, "--grants", "each", "--demo", adapter)
	var printed []string
	for r.lines.Scan() {
		printed = append(printed, r.lines.Text())
		if strings.Contains(r.lines.Text(), "Ctrl-C") {
			break
		}
	}
	text := strings.Join(printed, "\n")

	line := adapter + " stdio --provider-url " + r.url + " --cache-root '" + root + "'"
	for _, want := range []string{
		`["cin_slack_team/chat_messages:`,
		"thought that it was a clock",
		demoQuestion,
		"claude mcp add pdpp -- " + line,
		"codex mcp add pdpp -- " + line,
		adapter + " call search --q 'barometer found' --provider-url " + r.url + " --cache-root '" + root + "'",
		adapter + " connect " + r.url + " --cache-root '" + root + "'",
		"claude mcp add --transport http pdpp-hosted " + r.url + "/mcp",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the demonstration does not print %q:\n%s", want, text)
		}
	}

	var document hostDocument
	from := strings.Index(text, "  {\n    \"mcpServers\"")
	if err := json.NewDecoder(strings.NewReader(text[from:])).Decode(&document); err != nil {
		t.Fatalf("the configuration is not JSON: %v", err)
	}
	got := append([]string{document.Servers.PDPP.Command}, document.Servers.PDPP.Arguments...)
	if want := []string{adapter, "stdio", "--provider-url", r.url, "--cache-root", root}; !slices.Equal(got, want) {
		t.Errorf("the configuration runs %q, want %q", got, want)
	}
	listed, err := exec.CommandContext(t.Context(), adapter, "connections", "--cache-root", root).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{
		"Personal Gmail", "Work Gmail", "Spotify", "Team chat", "GitHub",
		"Calendar", "Fjordbank",
	} {
		if !strings.Contains(string(listed), "\n"+label+"  ") {
			t.Errorf("there is no grant of %s:\n%s", label, listed)
		}
	}
	if code := r.stop(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// With --demo the sandbox takes a free port if its default one is taken; without, the error names --listen.
func TestDemonstrationTakesAFreePort(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", defaultListen)
	if err == nil {
		t.Cleanup(func() { _ = taken.Close() }) // on an error another program has the port, which is just as good
	}
	var notice strings.Builder
	listener, err := listen(t.Context(), settings{listen: defaultListen, demo: "pdpp-mcp"}, &notice)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if address := listener.Addr().String(); address == defaultListen ||
		!strings.Contains(notice.String(), "listening on a free port") {
		t.Errorf("it listens on %s and says %q, want another port and why", address, notice.String())
	}

	_, err = listen(t.Context(), settings{listen: defaultListen}, &notice)
	var unusable *unusableError
	if !errors.As(err, &unusable) || !strings.Contains(err.Error(), "--listen 127.0.0.1:0") {
		t.Errorf("without a demonstration: %v, want what to pass", err)
	}
}
