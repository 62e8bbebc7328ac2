package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// share writes a page for every command and a script for every shell, the same bytes each time.
func TestShare(t *testing.T) {
	written := make([]map[string]string, 2)
	for i := range written {
		directory := t.TempDir()
		command := exec.CommandContext(t.Context(), "pdpp-mcp", "share", directory)
		if printed, err := command.CombinedOutput(); err != nil || len(printed) > 0 {
			t.Fatalf("share printed %q and gives %v", printed, err)
		}
		written[i] = readFiles(t, directory)
	}
	if !maps.Equal(written[0], written[1]) {
		t.Error("two runs differ")
	}
	want := []string{"completions/_pdpp-mcp", "completions/pdpp-mcp.bash", "completions/pdpp-mcp.fish", "completions/pdpp-mcp.ps1"}
	visitCommands(testRoot(), func(command *cobra.Command) { want = append(want, "man/man1/"+manualName(command)+".1") })
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(written[0])); !slices.Equal(got, want) {
		t.Errorf("wrote\n%v, want\n%v", got, want)
	}
}

var (
	calendar = regexp.MustCompile(`\b(19|20)\d\d\b|\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d`)
	request  = regexp.MustCompile(`^\.(TH|SH|PP|TP|EX|EE)( ".*")*$`)
)

// A page names every flag, keeps the words of the help, and is plain man(7).
func TestManualPages(t *testing.T) {
	visitCommands(testRoot(), func(command *cobra.Command) {
		page := string(manualPage(command))
		name := command.CommandPath()
		if !strings.HasPrefix(page, `.TH "PDPP\-MCP`) || !strings.Contains(page, ".SH \"NAME\"\n"+manualName(command)+` \- `) {
			t.Errorf("%s: the page begins with %.80q", name, page)
		}
		plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\fB`, "", `\fI`, "", `\fR`, "", `\&`, "", `\[u2026]`, "…").Replace(page)
		for _, words := range []string{command.UseLine(), command.Short, command.Example} {
			if !strings.Contains(spaced(plain), spaced(words)) {
				t.Errorf("%s: the page lacks %q", name, words)
			}
		}
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			if !regexp.MustCompile(`(?m)(^|, )--` + flag.Name + `( |$)`).MatchString(plain) {
				t.Errorf("%s: the page lacks --%s", name, flag.Name)
			}
		})
		if header, _, _ := strings.Cut(page, "\n"); calendar.MatchString(header) {
			t.Errorf("%s: the page holds a date: %s", name, header)
		}
		for line := range strings.SplitSeq(page, "\n") {
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !request.MatchString(line) {
				t.Errorf("%s: %q would be obeyed", name, line)
			}
		}
	})
	hostile := &cobra.Command{Use: "x <y>", Short: `a \fB "b"`, Long: ".so /etc/passwd\n'ex\n\n<tag> stays", Example: "  .EE"}
	page := string(manualPage(hostile))
	for _, kept := range []string{`\&.so /etc/passwd`, `\&'ex`, "<tag> stays", `\&.EE`, `a \efB "b"`} {
		if !strings.Contains(page, kept) {
			t.Errorf("%q is not in %q", kept, page)
		}
	}
}

func testRoot() *cobra.Command {
	root, _ := newRootCommand(terminal{in: io.NopCloser(&bytes.Buffer{}), out: io.Discard, err: io.Discard})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// visitCommands gives every command that is listed, with the flags that it has when it runs.
func visitCommands(command *cobra.Command, visit func(*cobra.Command)) {
	command.InitDefaultHelpFlag()
	command.InheritedFlags() // joins them to Flags
	visit(command)
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			visitCommands(below, visit)
		}
	}
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

func readFiles(t *testing.T, directory string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(directory, path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
