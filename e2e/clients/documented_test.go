//go:build clients

package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documented returns the commands of docs/clients.md.
func documented(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	isShell := false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			isShell = line == "```sh"
		case isShell:
			commands = append(commands, line)
		}
	}
	return commands
}

// runDocumented runs the documented commands of one program in their order, and returns their output. Servers are added
// in no other way.
func (u *user) runDocumented(t *testing.T, program string) string {
	t.Helper()
	var printed strings.Builder
	for _, line := range documented(t) {
		if !strings.HasPrefix(line, program+" ") {
			continue
		}
		line = strings.ReplaceAll(line, "https://mcp.pdpp.example/mcp", u.hosted)
		line = strings.ReplaceAll(line, "https://pdpp.example", pdpp.URL)
		printed.WriteString(u.run(t, line))
	}
	if printed.Len() == 0 {
		t.Fatalf("docs/clients.md has no command of %s", program)
	}
	return printed.String()
}

// Every command of the page is one that a test runs.
func TestEveryDocumentedCommandIsRun(t *testing.T) {
	for _, line := range documented(t) {
		switch program, _, _ := strings.Cut(line, " "); program {
		case "claude", "codex", "gemini", "mcp-inspector":
		default:
			t.Errorf("no test runs %q", line)
		}
	}
}
