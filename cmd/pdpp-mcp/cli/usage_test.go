package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// Help fits every terminal: no line is wider but examples, which are whole, and no word is lost.
func TestHelpFitsTheTerminal(t *testing.T) {
	root, _ := NewRoot(invocation.Terminal{}, "", nil)
	root.InitDefaultCompletionCmd()
	seen := 0
	var look func(*cobra.Command)
	look = func(command *cobra.Command) {
		seen++
		for _, columns := range []int{60, 80, 140} {
			checkHelp(t, command, columns)
		}
		for _, below := range command.Commands() {
			if below.IsAvailableCommand() {
				look(below)
			}
		}
	}
	look(root)
	if seen < 25 {
		t.Errorf("saw the help of %d commands, want all", seen)
	}
}

func checkHelp(t *testing.T, command *cobra.Command, columns int) {
	t.Helper()
	help := helpOf(command, columns)
	examples := strings.Split(command.Example, "\n")
	for line := range strings.SplitSeq(help, "\n") {
		isExample := strings.HasPrefix(line, "\t") || slices.Contains(examples, line)
		if wide := invocation.Width(line); wide > columns && !isExample {
			t.Errorf("%s at %d columns has a line of %d: %s", command.CommandPath(), columns, wide, line)
		}
	}
	if !strings.Contains(help, command.Example) {
		t.Errorf("%s at %d columns breaks its examples:\n%s", command.CommandPath(), columns, help)
	}
	words := strings.Join(strings.Fields(help), " ")
	want := []string{LongOf(command), command.UseLine()}
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			want = append(want, below.Name()+" "+below.Short)
		}
	}
	for _, flags := range []*pflag.FlagSet{command.LocalFlags(), command.InheritedFlags()} {
		for _, each := range Described(flags) {
			want = append(want, each.Name+" "+each.Kind+" "+each.Usage)
		}
	}
	for _, each := range want {
		if each = strings.Join(strings.Fields(each), " "); !strings.Contains(words, each) {
			t.Errorf("%s at %d columns lacks %q:\n%s", command.CommandPath(), columns, each, help)
		}
	}
}
