package main

import (
	"encoding/json"
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
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", adapter, "../pdpp-mcp").CombinedOutput(); err != nil {
		t.Fatalf("build the adapter: %v\n%s", err, output)
	}
	root := filepath.Join(directory, "cache of mine")
	r := start(t, "--cache-root", root, "--demo", adapter)
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
		`first_fetch_id="cin_gmail_personal/messages:`,
		"claude mcp add pdpp -- " + line,
		"codex mcp add pdpp -- " + line,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the demonstration does not print %q:\n%s", want, text)
		}
	}

	var document hostDocument
	from := strings.LastIndex(text, "  {\n")
	if err := json.NewDecoder(strings.NewReader(text[from:])).Decode(&document); err != nil {
		t.Fatalf("the configuration is not JSON: %v", err)
	}
	got := append([]string{document.Servers.PDPP.Command}, document.Servers.PDPP.Arguments...)
	if want := []string{adapter, "stdio", "--provider-url", r.url, "--cache-root", root}; !slices.Equal(got, want) {
		t.Errorf("the configuration runs %q, want %q", got, want)
	}
	if code := r.stop(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
