package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The commands of the page about the terminal print the lines that the page shows.
func TestTerminalGuide(t *testing.T) {
	const given = "env PDPP_PROVIDER_URL=$PROVIDER\nenv PDPP_ACCESS_TOKEN=$TOKEN_GMAIL_BOTH\n"
	runGuide(t, "terminal.md", given, 20, operatorScripts(t, "operator"))
}

// The commands of the tutorial print what it shows. Its reader has the sandbox and the credential of make demo. The
// owner ticks one mailbox.
func TestTutorial(t *testing.T) {
	const given = "env PDPP_PROVIDER_URL=$PROVIDER\nenv OWNER_TOKEN=$TOKEN_OWNER\nconnected .pdpp everything\n" +
		"env DISPLAY=:0\nenv OWNER='approve cin_gmail_personal'\n"
	params := scripts("", nil)
	params.Setup = func(env *testscript.Env) error {
		box, url := newProviderAndBox(t, 1) // the seed of pdpp-sandbox
		env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
		env.Setenv("PROVIDER", url)
		env.Setenv("KEY", strings.ReplaceAll(strings.TrimPrefix(url, "http://"), ":", "_"))
		for name, token := range box.Tokens() {
			env.Setenv("TOKEN_"+strings.ToUpper(name), token)
		}
		return nil
	}
	params.Cmds["unquoted"] = unquoted
	params.Cmds["curl"] = curlDelete
	runGuide(t, "tutorial.md", given, 15, params)
}

// runGuide runs the commands of a page of docs, at least atLeast, after the script lines in given, which set up what
// its reader has.
func runGuide(t *testing.T, page, given string, atLeast int, params testscript.Params) {
	t.Helper()
	guide := readPage(t, "docs/"+page)
	folder := t.TempDir()
	script, shown := scriptOf(guide)
	if err := os.WriteFile(filepath.Join(folder, "guide.txtar"), []byte(given+script), 0o600); err != nil {
		t.Fatal(err)
	}
	if shown < atLeast {
		t.Errorf("the guide shows %d commands, want each kind", shown)
	}
	params.Dir = folder
	runScripts(t, params)
}

var hidden = regexp.MustCompile(`^<!-- run: (.*) -->$`)

// demoURL is the address of make demo.
const demoURL = "http://127.0.0.1:8787"

// scriptOf turns a guide into a script. In sh blocks, lines that begin with $ are commands and the lines below are
// their output, in which … matches anything. Comments that begin with run: are script commands. A command whose
// output begins with "pdpp-mcp: " must fail with that error.
func scriptOf(guide string) (script string, commands int) {
	var lines []string
	block, last := "", -1 // the line of the command whose output follows
	for line := range strings.Lines(guide) {
		line = strings.TrimRight(line, "\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch directive := hidden.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			block, last = strings.TrimPrefix(line, "```"), -1
		case directive != nil:
			lines = append(lines, directive[1])
		case block != "sh":
		case isCommand:
			words, output, isSaved := strings.Cut(strings.ReplaceAll(command, demoURL, "$PROVIDER"), " > ")
			words, input, isFed := strings.Cut(words, " < ")
			if isFed {
				lines = append(lines, "stdin "+input)
			}
			if !strings.HasPrefix(words, "curl ") { // a command of the scripts
				words = "exec " + words
			}
			last = len(lines)
			lines = append(lines, words)
			if isSaved {
				lines = append(lines, "cp stdout "+output)
			}
			commands++
		case last >= 0:
			channel := "stdout"
			if strings.HasPrefix(line, "pdpp-mcp: ") {
				lines[last], channel = "! "+lines[last], "stderr"
			}
			lines = append(lines, channel+" "+patternOf(line))
		}
	}
	return strings.Join(lines, "\n") + "\n", commands
}

// patternOf returns a line as a pattern for scripts, with the script's address in place of the demonstration's.
func patternOf(line string) string {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
	pattern = "'^" + strings.ReplaceAll(pattern, "'", "''") + "'"
	return strings.ReplaceAll(pattern, regexp.QuoteMeta(demoURL), "'$PROVIDER'")
}

// curlDelete implements the one use of curl in the tutorial: curl -X DELETE -H <header> <address>.
func curlDelete(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 || args[0] != "-X" || args[2] != "-H" {
		ts.Fatalf("usage: curl -X <method> -H <header> <address>")
	}
	request, err := http.NewRequest(args[1], args[4], nil)
	ts.Check(err)
	name, value, _ := strings.Cut(args[3], ": ")
	request.Header.Set(name, value)
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	ts.Check(response.Body.Close())
	if response.StatusCode != http.StatusNoContent {
		ts.Check(fmt.Errorf("%s answered %s", args[4], response.Status))
	}
}
