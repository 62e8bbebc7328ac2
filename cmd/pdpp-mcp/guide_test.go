package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Every command that the operator's guide shows is run, and prints the lines that are shown below it.
func TestOperatorGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "operator.md"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script, shown := scriptOf(string(guide))
	if err := os.WriteFile(filepath.Join(folder, "guide.txtar"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if shown < 10 {
		t.Errorf("the guide shows %d commands, want each kind", shown)
	}
	params := operatorScripts(t)
	params.Dir = folder
	testscript.Run(t, params)
}

var hidden = regexp.MustCompile(`^<!-- run: (.*) -->$`)

// scriptOf makes a script of a guide: lines of sh blocks that begin with $ are commands, the lines below them are
// what is printed, with … for anything, and comments that begin with run: are commands of the scripts.
func scriptOf(guide string) (script string, commands int) {
	var lines strings.Builder
	lines.WriteString("env PDPP_PROVIDER_URL=$PROVIDER\nenv PDPP_ACCESS_TOKEN=$TOKEN_GMAIL_BOTH\n")
	block, running := "", false
	for line := range strings.Lines(guide) {
		line = strings.TrimRight(line, "\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch directive := hidden.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			block, running = strings.TrimPrefix(line, "```"), false
		case directive != nil:
			fmt.Fprintln(&lines, directive[1])
		case block != "sh":
		case isCommand:
			words, input, redirected := strings.Cut(command, " < ")
			if redirected {
				fmt.Fprintln(&lines, "stdin "+input)
			}
			fmt.Fprintln(&lines, "exec "+words)
			commands++
			running = true
		case running:
			pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
			fmt.Fprintf(&lines, "stdout '^%s'\n", pattern)
		}
	}
	return lines.String(), commands
}
