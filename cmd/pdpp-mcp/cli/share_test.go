package cli

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/golden"
)

// share writes a page for every command and a script for every shell, the same bytes each time.
func TestShare(t *testing.T) {
	written := make([]map[string]string, 2)
	for i := range written {
		directory := t.TempDir()
		var printed bytes.Buffer
		terminal := invocation.Terminal{In: io.NopCloser(&bytes.Buffer{}), Out: &printed, Err: &printed}
		if code := execute(t.Context(), []string{"share", directory}, terminal, "", nil); code != invocation.ExitOK || printed.Len() > 0 {
			t.Fatalf("share printed %q and ended with %d", printed.String(), code)
		}
		written[i] = golden.Tree(t, directory)
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

func testRoot() *cobra.Command {
	root, _ := NewRoot(invocation.Terminal{In: io.NopCloser(&bytes.Buffer{}), Out: io.Discard, Err: io.Discard}, "", nil)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// visitCommands visits every listed command, with the flags that it has when it runs.
func visitCommands(command *cobra.Command, visit func(*cobra.Command)) {
	command.InitDefaultHelpFlag()
	command.InheritedFlags() // adds them to Flags
	visit(command)
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			visitCommands(below, visit)
		}
	}
}
