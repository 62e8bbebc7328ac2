package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// helpOf is the help of a command, wrapped at words to so many columns. Examples are not wrapped, so that they can be pasted.
func helpOf(command *cobra.Command, columns int) string {
	command.InitDefaultHelpFlag()
	command.InitDefaultVersionFlag()
	sections := []string{invocation.WrapText(LongOf(command), columns), "Usage:\n" + invocation.WrapLine("  "+command.UseLine(), columns, "      ")}
	if command.HasExample() {
		sections = append(sections, "Examples:\n"+command.Example)
	}
	sections = append(sections, commandsOf(command, columns)...)
	arguments, others := splitFlags(command)
	for _, each := range []struct {
		heading string
		flags   *pflag.FlagSet
	}{{"Arguments:", arguments}, {"Flags:", others}, {"Flags of every command:", command.InheritedFlags()}} {
		if each.flags.HasAvailableFlags() {
			sections = append(sections, each.heading+flagLines(each.flags, columns))
		}
	}
	if command.HasAvailableSubCommands() {
		more := fmt.Sprintf("Run %s <command> --help for its flags and examples.", command.CommandPath())
		sections = append(sections, invocation.WrapLine(more, columns, ""))
	}
	return strings.Join(sections, "\n\n") + "\n"
}

// splitFlags returns the flags that stand for the arguments of a tool or of a request, and the others.
func splitFlags(command *cobra.Command) (arguments, others *pflag.FlagSet) {
	arguments, others = pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	arguments.SortFlags, others.SortFlags = false, command.LocalFlags().SortFlags
	command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if invocation.IsArgument(flag) {
			arguments.AddFlag(flag)
		} else {
			others.AddFlag(flag)
		}
	})
	return arguments, others
}

// commandsOf lists the commands below one under the headings of their families, in the order of those.
func commandsOf(command *cobra.Command, columns int) []string {
	var rest, sections []string
	widest := 0
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			widest = max(widest, len(below.Name()))
			if below.GroupID == "" {
				rest = append(rest, below.Name())
			}
		}
	}
	list := func(heading string, names []string) {
		lines := heading
		for _, name := range names {
			at := slices.IndexFunc(command.Commands(), func(below *cobra.Command) bool { return below.Name() == name })
			line := fmt.Sprintf("  %-*s  %s", widest, name, command.Commands()[at].Short)
			lines += "\n" + invocation.WrapLine(line, columns, strings.Repeat(" ", widest+4))
		}
		sections = append(sections, lines)
	}
	for _, family := range families {
		if command.ContainsGroup(family.heading) {
			list(family.heading, family.commands)
		}
	}
	switch {
	case len(rest) > 0 && sections != nil:
		list("More:", rest)
	case len(rest) > 0:
		list("Commands:", rest)
	}
	return sections
}

// LongOf is what a command does, in as many words as it has.
func LongOf(command *cobra.Command) string {
	if command.Long != "" {
		return command.Long
	}
	return command.Short + "."
}
