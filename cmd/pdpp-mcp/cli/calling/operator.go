package calling

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/saved"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// groups has the help line of each command that only holds others, by its word.
var groups = map[string]string{
	"subscriptions": "Manage event subscriptions, and check what they deliver",
}

// NewOperatorCommands makes the commands of the specs that MCP clients are not offered. Each word of a command is one
// level of the tree.
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

// group returns the child of parent named word, which only holds other commands, and makes it if it is missing.
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

// newGeneratedCommand makes a command with its words and arguments. The caller sets what it runs.
func newGeneratedCommand(generated tool.Command) (*cobra.Command, *invocation.Arguments) {
	command := &cobra.Command{
		Use:   generated.Words[len(generated.Words)-1],
		Short: generated.Title,
		Long:  generated.Description,
		Args:  cobra.ArbitraryArgs, // Object refuses them
	}
	arguments := invocation.AddArguments(command.Flags(), generated.Arguments, false)
	command.Use += arguments.Use()
	return command, arguments
}

// newAnswerCommand makes a command that sends one request and prints the answer. The result of a change is printed even
// when it differs from what was asked for, which is an error.
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
		if err := format.Check(); err != nil {
			return err
		}
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
		return errors.Join(failed, format.PrintMembers(command.Context(), result, generated.Columns))
	}
	return command
}

// tellMore notes on stderr that a list has more rows than were printed, which neither a table nor a text shows (R-HAND-8).
// Operator commands do not page, so the other rows cannot be read.
func tellMore(out io.Writer, answer *tool.Result) {
	var list struct {
		Data    []json.RawMessage `json:"data"`
		HasMore bool              `json:"has_more"`
	}
	if err := json.Unmarshal(answer.Structured, &list); err == nil && list.HasMore {
		fmt.Fprintf(out, "the provider has more than these %d rows\n", len(list.Data))
	}
}

// newDownloadCommand makes a command that saves the bytes of an answer to a file.
func newDownloadCommand(terminal invocation.Terminal, log *invocation.Log, generated tool.Command) *cobra.Command {
	var provider invocation.Provider
	target := saved.Target{Terminal: terminal}
	command, arguments := newGeneratedCommand(generated)
	target.AddFlags(command.Flags(), "required")
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
