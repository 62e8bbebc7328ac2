package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// share writes a page for every command and a script for every shell, the same bytes each time.
func TestShare(t *testing.T) {
	written := make([]map[string]string, 2)
	for i := range written {
		directory := t.TempDir()
		if err := run([]string{directory}); err != nil {
			t.Fatal(err)
		}
		written[i] = golden.Tree(t, directory)
	}
	if !maps.Equal(written[0], written[1]) {
		t.Error("two runs differ")
	}
	want := []string{
		"completions/_pdpp-mcp", "completions/pdpp-mcp.bash", "completions/pdpp-mcp.fish",
		"completions/pdpp-mcp.ps1",
	}
	visitCommands(commands(), func(command *cobra.Command) { want = append(want, "man/man1/"+manualName(command)+".1") })
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(written[0])); !slices.Equal(got, want) {
		t.Errorf("wrote\n%v, want\n%v", got, want)
	}
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
