package calling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// groups has the short help of each command that has only subcommands.
var groups = map[string]string{
	"subscriptions": "Manage event subscriptions, and check what they deliver",
}

// NewOperatorCommands returns the commands of the specs that only a terminal has. Each word of a command is one level of the tree.
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
	commands := root.Commands()
	root.RemoveCommand(commands...) // they get another parent
	return commands
}

// group returns the child of parent with this name, which has only subcommands. It adds a missing one.
func group(parent *cobra.Command, word string) *cobra.Command {
	for _, child := range parent.Commands() {
		if child.Name() == word {
			return child
		}
	}
	child := &cobra.Command{
		Use:     word + " <command>",
		Short:   groups[word],
		Example: "  pdpp-mcp " + word + " list\n  pdpp-mcp " + word + " capabilities",
		Args:    invocation.NoCommand,
		RunE:    invocation.ShowHelp,
	}
	parent.AddCommand(child)
	return child
}

func newGeneratedCommand(generated tool.Command) (*cobra.Command, *invocation.Arguments) {
	command := &cobra.Command{
		Use:     generated.Words[len(generated.Words)-1],
		Short:   generated.Title,
		Long:    generated.Description,
		Example: exampleLines("", generated.Examples),
		Args:    cobra.ArbitraryArgs, // Object refuses them
	}
	arguments := invocation.AddArguments(command.Flags(), generated.Arguments, false)
	command.Use += arguments.Usage()
	return command, arguments
}

// access has the flags that choose the grants of a command: all of them if the request can choose among them, otherwise a single one.
type access struct {
	sources   invocation.Sources
	ofSources bool
}

func newAccess(flags *pflag.FlagSet, generated tool.Command) *access {
	a := &access{ofSources: generated.OfSources}
	if a.sources.ReadsEvery = a.ofSources; a.ofSources {
		a.sources.AddFlags(flags)
	} else {
		a.sources.Provider.AddFlags(flags)
	}
	return a
}

// admitted returns what the command may use, and a function that ends the use.
func (a *access) admitted(ctx context.Context, logger *slog.Logger) (tool.Env, func(), error) {
	if !a.ofSources {
		client, err := a.sources.Admitted(ctx, logger)
		return tool.Env{RS: client, Writer: client}, func() {}, err
	}
	local, err := a.sources.Local(ctx, logger)
	if err != nil {
		return tool.Env{}, nil, err
	}
	env, err := admitted(ctx, local)
	return env, func() { local.Settle(ctx) }, err
}

// newAnswerCommand returns a command that sends one request and prints the answer, even if the answer does not confirm the requested state.
func newAnswerCommand(terminal invocation.Terminal, log *invocation.Log, generated tool.Command) *cobra.Command {
	format := display.Format{Terminal: terminal}
	secretFile := ""
	command, arguments := newGeneratedCommand(generated)
	if generated.Secret {
		command.Flags().StringVar(&secretFile, "secret-file", "", "new `file` of mode 0600 for the signing secret, instead of the output")
	}
	format.AddFlags(command.Flags())
	access := newAccess(command.Flags(), generated)
	command.RunE = func(command *cobra.Command, words []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		object, err := arguments.Object(command, words)
		if err != nil {
			return err
		}
		env, end, err := access.admitted(command.Context(), log.Logger())
		if err != nil {
			return err
		}
		defer end()
		if secretFile != "" {
			keeper, err := newSecretKeeper(env.Writer, secretFile)
			if err != nil {
				return err
			}
			defer keeper.close()
			env.Writer = keeper
		}
		ctx, cancel := context.WithTimeout(command.Context(), host.DefaultCallTimeout)
		defer cancel()
		result, failed := generated.Ask.Run(ctx, env, object)
		if unconfirmed, ok := errors.AsType[*tool.UnconfirmedError](failed); ok {
			result = unconfirmed.Result
		} else if failed != nil {
			return advised(command, failed)
		}
		noteMore(terminal.Err, result)
		result = display.TerminalSafe(result)
		var distinct []string // members that distinguish the rows of several grants and providers
		if access.ofSources {
			distinct = []string{"grant_id", "provider_url"}
		}
		return errors.Join(failed, format.PrintList(command.Context(), result, generated.Columns, distinct))
	}
	return command
}

// noteMore prints on stderr that a list has more rows (R-HAND-8), and that a source is missing (R-LOCAL-2).
func noteMore(out io.Writer, answer *tool.Result) {
	var list struct {
		Data    []json.RawMessage `json:"data"`
		HasMore bool              `json:"has_more"`
		Meta    struct {
			Warnings []struct {
				Message string `json:"message"`
			} `json:"warnings"`
		} `json:"meta"`
	}
	if json.Unmarshal(answer.Structured, &list) != nil {
		return
	}
	if list.HasMore {
		fmt.Fprintf(out, "the provider has more than the %s shown\n", invocation.Count(len(list.Data), "row"))
	}
	for _, warning := range list.Meta.Warnings {
		fmt.Fprintln(out, invocation.OneLine(warning.Message))
	}
}
