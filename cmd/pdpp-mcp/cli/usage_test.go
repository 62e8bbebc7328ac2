package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// Help fits every terminal. Only examples, which are not wrapped, may be wider. Every description is complete.
func TestHelpFitsTheTerminal(t *testing.T) {
	root, _ := NewRoot(invocation.Terminal{}, "", nil)
	root.InitDefaultCompletionCmd()
	seen := 0
	var visit func(*cobra.Command)
	visit = func(command *cobra.Command) {
		seen++
		for _, columns := range []int{60, 80, 140} {
			checkHelp(t, command, columns)
		}
		for _, child := range available(command) {
			visit(child)
		}
	}
	visit(root)
	if seen < 25 {
		t.Errorf("checked the help of %d commands, want all", seen)
	}
}

// screenLines is the height of a screen of 80 columns that help must fit. Only serve has more flags.
const screenLines = 66

func checkHelp(t *testing.T, command *cobra.Command, columns int) {
	t.Helper()
	help := helpText(command, columns)
	examples := strings.Split(command.Example, "\n")
	for line := range strings.SplitSeq(help, "\n") {
		isExample := strings.HasPrefix(line, "\t") || slices.Contains(examples, line)
		if width := invocation.Width(line); width > columns && !isExample {
			t.Errorf("%s at %d columns has a line of %d columns: %s", command.CommandPath(), columns, width, line)
		}
	}
	if lines := strings.Count(help, "\n"); columns == 80 && lines > screenLines && command.Name() != "serve" {
		t.Errorf("%s takes %d lines, want %d", command.CommandPath(), lines, screenLines)
	}
	if !strings.Contains(help, command.Example) {
		t.Errorf("%s at %d columns breaks its examples:\n%s", command.CommandPath(), columns, help)
	}
	words := strings.Join(strings.Fields(help), " ")
	want := []string{Description(command), command.UseLine()}
	for _, child := range available(command) {
		want = append(want, child.Name()+" "+child.Short)
	}
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		want = append(want, "--"+flag.Name)
		if !invocation.IsShared(flag) && command.InheritedFlags().Lookup(flag.Name) == nil {
			_, usage := pflag.UnquoteUsage(flag)
			want = append(want, usage)
		}
	})
	for _, each := range want {
		if each = strings.Join(strings.Fields(each), " "); !strings.Contains(words, each) {
			t.Errorf("%s at %d columns lacks %q:\n%s", command.CommandPath(), columns, each, help)
		}
	}
}
