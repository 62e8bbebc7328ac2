package calling

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// groups say what the commands that begin with a word have in common.
var groups = map[string]string{
	"subscriptions": "Manage event subscriptions, and check what they deliver",
}

// NewOperatorCommands are the commands of the specs that no MCP client is offered, as a tree of their words.
func NewOperatorCommands(terminal invocation.Terminal, log *invocation.Log) []*cobra.Command {
	root := &cobra.Command{}
	for _, generated := range gen.Commands() {
		parent, last := root, len(generated.Words)-1
		for _, word := range generated.Words[:last] {
			parent = group(parent, word)
		}
		if generated.Download != nil {
			parent.AddCommand(newDownloadCommand(terminal, log, generated))
		} else {
			parent.AddCommand(newAnswerCommand(terminal, log, generated))
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
		Args:  invocation.NoCommand,
		RunE:  invocation.ShowHelp,
	}
	parent.AddCommand(child)
	return child
}

// newGeneratedCommand has the words and the arguments of a command, and does nothing yet.
func newGeneratedCommand(generated tool.Command) (*cobra.Command, *invocation.Arguments) {
	use := generated.Words[len(generated.Words)-1]
	if at := slices.IndexFunc(generated.Arguments, func(argument tool.Argument) bool { return argument.Positional }); at >= 0 {
		use += " <" + invocation.FlagName(generated.Arguments[at].Name) + ">"
	}
	command := &cobra.Command{Use: use, Short: generated.Title, Long: generated.Description, Args: cobra.ArbitraryArgs}
	return command, invocation.AddArguments(command.Flags(), generated.Arguments)
}

// newAnswerCommand asks once and prints the answer. What a change led to is printed too when it is not what was asked
// for.
func newAnswerCommand(terminal invocation.Terminal, log *invocation.Log, generated tool.Command) *cobra.Command {
	var provider invocation.Provider
	format := display.Format{Terminal: terminal}
	secretFile := ""
	command, arguments := newGeneratedCommand(generated)
	provider.AddFlags(command.Flags())
	format.AddFlags(command.Flags())
	if generated.Secret {
		command.Flags().StringVar(&secretFile, "secret-file", "", "new file of mode 0600 for the signing secret, in place of the output")
	}
	command.RunE = func(command *cobra.Command, words []string) error {
		object, err := arguments.Object(command, words)
		if err != nil {
			return err
		}
		client, err := provider.Admitted(command.Context(), log.Logger())
		if err != nil {
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
		if unconfirmed, ok := errors.AsType[*tool.UnconfirmedError](failed); ok {
			result = unconfirmed.Result
		} else if failed != nil {
			return failed
		}
		tellMore(terminal.Err, result)
		result = display.TerminalSafe(result)
		return errors.Join(failed, format.Print(result, func(columns int) string {
			return display.AnswerTable(result, generated.Columns, columns)
		}))
	}
	return command
}

// tellMore says on stderr that a list has more rows than were printed, which neither a table nor a text shows (R-HAND-8).
// The lists of operator commands have no pages, so there is no way to the others.
func tellMore(out io.Writer, answer *tool.Result) {
	var list struct {
		Data    []json.RawMessage `json:"data"`
		HasMore bool              `json:"has_more"`
	}
	if err := json.Unmarshal(answer.Structured, &list); err == nil && list.HasMore {
		fmt.Fprintf(out, "the provider has more than these %d rows\n", len(list.Data))
	}
}

// newDownloadCommand saves an answer of bytes to a file.
func newDownloadCommand(terminal invocation.Terminal, log *invocation.Log, generated tool.Command) *cobra.Command {
	var provider invocation.Provider
	target := saved.Target{Terminal: terminal}
	command, arguments := newGeneratedCommand(generated)
	target.AddFlags(command.Flags())
	provider.AddFlags(command.Flags())
	command.RunE = func(command *cobra.Command, words []string) error {
		object, err := arguments.Object(command, words)
		if err != nil {
			return err
		}
		request, err := generated.Download(object)
		if err != nil {
			return err
		}
		client, err := provider.Admitted(command.Context(), log.Logger())
		if err != nil {
			return err
		}
		return target.Download(command.Context(), client, request)
	}
	return command
}
