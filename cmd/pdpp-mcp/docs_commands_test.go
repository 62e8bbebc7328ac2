package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// notRun has the lines of documented blocks that no test runs, and why. The flags of pdpp-mcp in them are still
// checked.
var notRun = map[string]string{
	"make demo": "it builds and serves until Ctrl-C",
	"make test": "it runs this test",
	"claude":    "it is a program of others, and talks to a model",
	"pdpp-mcp serve --provider-url https://pdpp.example --authorization-server https://as.pdpp.example " +
		"--introspection-client-id pdpp-mcp --introspection-client-secret-file /run/secrets/introspection --public-url " +
		"https://mcp.pdpp.example --listen 127.0.0.1:8788 --metrics-listen 127.0.0.1:9090": "it serves until it is " +
		"stopped; TestServe starts it",
}

// connectedBefore are the pages whose reader has already signed in.
var connectedBefore = []string{"docs/hosting.md", "docs/troubleshooting.md"}

// runElsewhere are the pages whose commands another test runs.
var runElsewhere = map[string]string{
	"docs/terminal.md": "TestTerminalGuide runs it, with a receiver of events, and compares what is printed",
	"docs/clients.md":  "make test-clients runs it with the real clients",
	"docs/tutorial.md": "TestTutorial runs it, with an owner who ticks one mailbox, and compares what is printed",
	"docs/add-a-tool.md": "it changes the checkout; TestThePageAddsATool of the generator applies what it shows, and " +
		"calls the tool",
	"docs/evaluation.md": "it runs for minutes; make exam asks the questions",
	"docs/install.md": "it installs into the system; packaging/check tries each way in a separate directory, and the " +
		"page says which",
}

// The test runs every command in README.md and docs/ as shown, in the order of the page. Each page has its own user
// with an empty home directory, a terminal, and a browser whose owner approves. A sandbox replaces the documents' host.
func TestDocumentedCommands(t *testing.T) {
	provider := newProvider(t)
	ran, left := 0, map[string]bool{}
	for _, page := range documentedPages(t) {
		if runElsewhere[page] != "" {
			continue
		}
		var lines []string
		for _, line := range commandLines(readPage(t, page)) {
			if _, excused := notRun[line]; excused {
				left[line] = true
				continue
			}
			if word, _, _ := strings.Cut(line, " "); word != "pdpp-mcp" && word != "export" {
				t.Errorf("%s: %q is a program of others; add it to notRun with the reason, or its page to runElsewhere", page, line)
				continue // it is not run
			}
			lines = append(lines, line)
		}
		ran += len(lines)
		if slices.Contains(connectedBefore, page) {
			lines = slices.Insert(lines, 0, "pdpp-mcp connect https://pdpp.example")
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel() // mostly waits between polls
			reader := &reader{home: t.TempDir(), provider: provider}
			for _, line := range lines {
				reader.run(t, line)
			}
		})
	}
	for line, reason := range notRun {
		if !left[line] {
			t.Errorf("no page shows %q any more, which is not run because %s", line, reason)
		}
	}
	if ran < 15 {
		t.Errorf("ran %d commands, want all that the pages show", ran)
	}
}

// reader runs the commands of a page as a user would.
type reader struct {
	home     string
	provider string
	exported []string
}

var documentedHost = regexp.MustCompile(`https://(pdpp|data)\.example`)

func (r *reader) run(t *testing.T, line string) {
	t.Helper()
	line = documentedHost.ReplaceAllString(line, r.provider)
	if set, isExport := strings.CutPrefix(line, "export "); isExport {
		r.exported = append(r.exported, set)
		return
	}
	if strings.Contains(line, "grt_1") {
		line = strings.ReplaceAll(line, "grt_1", olderGrant(t, filepath.Join(r.home, ".pdpp")))
	}
	keyboard, agreeing, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	defer agreeing.Close()
	if _, err := keyboard.WriteString("y\ny\n"); err != nil { // setup asks twice
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-c", line)
	command.Dir, command.Stdin = r.home, agreeing
	command.Env = append(os.Environ(), append(r.exported,
		"HOME="+r.home, "XDG_CONFIG_HOME=", "DISPLAY=:0", "OWNER=approve cin_gmail_personal")...)
	if printed, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%.2000s", line, err, printed)
	}
}

// olderGrant returns the id of the grant that was connected before the last one.
func olderGrant(t *testing.T, root string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "clients", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %v and gives %v, want one file", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Others []struct {
			Credential struct {
				GrantID string `json:"grant_id"`
			} `json:"credential"`
		} `json:"other_grants"`
	}
	if err := json.Unmarshal(content, &file); err != nil || len(file.Others) != 1 {
		t.Fatalf("%d other grants and %v, want one", len(file.Others), err)
	}
	return file.Others[0].Credential.GrantID
}

// The commands and flags of every documented command line exist, in blocks and in sentences, even if it is not run. A
// block that begins with a command is marked sh.
func TestDocumentedCommandLinesAreRead(t *testing.T) {
	inline := regexp.MustCompile("`(pdpp-mcp [^`]+)`")
	for _, page := range documentedPages(t) {
		content := readPage(t, page)
		lines := commandLines(content)
		for _, found := range inline.FindAllStringSubmatch(content, -1) {
			lines = append(lines, found[1])
		}
		for _, line := range lines {
			words := strings.Fields(strings.Split(strings.Split(line, " > ")[0], " #")[0])
			if words[0] != "pdpp-mcp" {
				continue
			}
			command, rest, err := testRoot().Find(words[1:])
			if err != nil || command.Name() == "pdpp-mcp" && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
				t.Errorf("%s: %s: there is no such command (%v)", page, line, err)
				continue
			}
			for _, word := range rest {
				name, isFlag := strings.CutPrefix(strings.Split(word, "=")[0], "--")
				command.InheritedFlags() // joins them to Flags
				if isFlag && name != "help" && command.Flags().Lookup(name) == nil {
					t.Errorf("%s: %s: %s has no flag --%s", page, line, command.CommandPath(), name)
				}
			}
		}
		if runElsewhere[page] != "" {
			continue
		}
		for _, block := range fenced.FindAllStringSubmatch(content, -1) {
			if language, first, _ := strings.Cut(block[1], "\n"); language != "sh" &&
				regexp.MustCompile(`^(\$ )?(pdpp-mcp|make|go|curl) `).MatchString(first) {
				t.Errorf("%s: a block that begins with %.40q is not marked sh, so it is not run", page, first)
			}
		}
	}
}

// fenced matches the blocks of a page: the language, a line break, and the content.
var fenced = regexp.MustCompile("(?ms)^```(.*?)^```$")

// commandLines returns the commands of the sh blocks, with continued lines joined and comments dropped.
func commandLines(content string) []string {
	var lines []string
	for _, block := range fenced.FindAllStringSubmatch(content, -1) {
		language, commands, _ := strings.Cut(block[1], "\n")
		if language != "sh" {
			continue
		}
		joined := regexp.MustCompile(`\\\n\s*`).ReplaceAllString(commands, "")
		for line := range strings.SplitSeq(joined, "\n") {
			line, isPrompted := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			// In a block with prompts, lines without one are output.
			if isPrompted == strings.Contains(joined, "$ pdpp-mcp ") && line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// documentedPages returns README.md and docs/*.md, relative to the root of the repository.
func documentedPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("found %v and %v", pages, err)
	}
	found := []string{"README.md"}
	for _, page := range pages {
		found = append(found, "docs/"+filepath.Base(page))
	}
	return found
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// testRoot returns the tree of all commands.
func testRoot() *cobra.Command {
	root, _ := cli.NewRoot(invocation.Terminal{In: io.NopCloser(&bytes.Buffer{}), Out: io.Discard, Err: io.Discard}, "",
		nil)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}
