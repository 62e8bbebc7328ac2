package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
)

// families are the headings of the help and the commands below each.
var families = []struct {
	heading  string
	commands []string
}{
	{"Read data:", []string{"call", "streams", "blob", "sync", "subscriptions"}},
	{"Sign in and look after grants:", []string{"connect", "connections", "disconnect", "activity"}},
	{"Use it in a host:", []string{"setup", "doctor", "stdio", "serve", "healthcheck"}},
}

// helpColumns is the width of help where standard output is no terminal.
const helpColumns = 80

// arrange groups the commands in the help, which fits the terminal, and makes help fail for what is no command.
func arrange(root *cobra.Command, terminal invocation.Terminal) {
	root.SetHelpFunc(func(command *cobra.Command, _ []string) {
		columns, onTerminal := terminal.Width()
		if !onTerminal {
			columns = helpColumns
		}
		_, _ = fmt.Fprint(terminal.Out, helpOf(command, columns)) // there is nowhere to report that this fails
	})
	for _, family := range families {
		root.AddGroup(&cobra.Group{ID: family.heading, Title: family.heading})
		for _, name := range family.commands {
			for _, command := range root.Commands() {
				if command.Name() == name {
					command.GroupID = family.heading
				}
			}
		}
	}
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, words []string) error {
			command, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				return invocation.UnknownCommand(command, rest[0])
			}
			command.InitDefaultHelpFlag()
			return command.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, words []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if command, rest, err := root.Find(words); err == nil && len(rest) == 0 {
				for _, below := range command.Commands() {
					if below.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(below.Name(), below.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	})
}
