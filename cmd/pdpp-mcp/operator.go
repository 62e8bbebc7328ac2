package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// groups say what the commands that begin with a word have in common.
var groups = map[string]string{
	"subscriptions": "Manage event subscriptions, and check what they deliver",
}

// newOperatorCommands are the commands of the specs that no MCP client is offered, as a tree of their words.
func newOperatorCommands(terminal terminal, logging *logging) []*cobra.Command {
	root := &cobra.Command{}
	for _, generated := range gen.Commands() {
		parent, last := root, len(generated.Words)-1
		for _, word := range generated.Words[:last] {
			parent = group(parent, word)
		}
		if generated.Download != nil {
			parent.AddCommand(newDownloadCommand(terminal, logging, generated))
		} else {
			parent.AddCommand(newAnswerCommand(terminal, logging, generated))
		}
	}
	group(root, "subscriptions").AddCommand(newVerifyCommand(terminal))
	made := root.Commands()
	root.RemoveCommand(made...) // they get another parent
	return made
}

// group is the child of a command that holds others, made when it is not there.
func group(parent *cobra.Command, word string) *cobra.Command {
	for _, child := range parent.Commands() {
		if child.Name() == word {
			return child
		}
	}
	child := &cobra.Command{
		Use:   word,
		Short: groups[word],
		Args: func(command *cobra.Command, passed []string) error {
			if len(passed) > 0 {
				return &usageError{fmt.Sprintf("unknown command %q; run: %s --help", passed[0], command.CommandPath())}
			}
			return nil
		},
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	parent.AddCommand(child)
	return child
}

// newAnswerCommand asks once and prints the answer. What a change led to is printed too when it is not what was asked
// for.
func newAnswerCommand(terminal terminal, logging *logging, generated tool.Command) *cobra.Command {
	var provider provider
	format := format{terminal: terminal}
	secretFile := ""
	command, arguments := newGeneratedCommand(generated)
	provider.addFlags(command.Flags())
	format.addFlags(command.Flags())
	if generated.Secret {
		command.Flags().StringVar(&secretFile, "secret-file", "", "new file of mode 0600 for the signing secret, in place of the output")
	}
	command.RunE = func(command *cobra.Command, passed []string) error {
		object, err := arguments.objectWith(command, passed)
		if err != nil {
			return err
		}
		if err := format.check(); err != nil {
			return err
		}
		client, err := provider.reader(logging.logger())
		if err != nil {
			return err
		}
		// The same rule as for a server: a client token only.
		if err := admit(command.Context(), client); err != nil {
			return err
		}
		var writer rs.Writer = client
		if secretFile != "" {
			keeper, err := newSecretKeeper(client, secretFile)
			if err != nil {
				return err
			}
			defer keeper.close()
			writer = keeper
		}
		result, failed := runWithin(command.Context(), generated.Run, tool.Env{RS: client, Writer: writer}, object)
		if unconfirmed := (*tool.UnconfirmedError)(nil); errors.As(failed, &unconfirmed) {
			result = unconfirmed.Result
		} else if failed != nil {
			return failed
		}
		tellMore(terminal.err, result)
		return errors.Join(failed, format.print(terminalSafe(result), func(result *tool.Result, columns int) string {
			return answerTable(result, generated.Columns, columns)
		}))
	}
	return command
}

// newGeneratedCommand has the words and the arguments of a command, and does nothing yet.
func newGeneratedCommand(generated tool.Command) (*cobra.Command, *argumentFlags) {
	use := generated.Words[len(generated.Words)-1]
	if at := slices.IndexFunc(generated.Arguments, func(argument tool.Argument) bool { return argument.Positional }); at >= 0 {
		use += " <" + flagName(generated.Arguments[at].Name) + ">"
	}
	command := &cobra.Command{Use: use, Short: generated.Title, Long: generated.Description, Args: cobra.ArbitraryArgs}
	return command, newArgumentFlags(command.Flags(), generated.Arguments)
}

// objectWith is what was passed, with what stands behind the command's words.
func (a *argumentFlags) objectWith(command *cobra.Command, passed []string) (json.RawMessage, error) {
	if err := a.takePositional(command, passed); err != nil {
		return nil, err
	}
	return a.object()
}

// terminalSafe keeps what a provider sent from commanding the terminal. JSON stays as it is: there such
// characters are the data.
func terminalSafe(result *tool.Result) *tool.Result {
	return &tool.Result{Text: printable(result.Text), Structured: result.Structured}
}

// answerTable shows the rows of a list as a table, and anything else as its text.
func answerTable(result *tool.Result, names []string, columns int) string {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(result.Structured, &list); err != nil || len(list.Data) == 0 {
		return result.Text
	}
	return strings.TrimRight(grid(memberRows(list.Data, names...), columns, seeAll), "\n")
}
