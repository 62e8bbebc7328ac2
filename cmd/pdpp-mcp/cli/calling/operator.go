package calling

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/display"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// NewOperatorCommands returns the commands of the specs that only a terminal has. The ones of two words are below
// subscriptions.
func NewOperatorCommands(terminal invocation.Terminal, log *invocation.Log) []*cobra.Command {
	subscriptions := &cobra.Command{
		Use:     "subscriptions <command>",
		Short:   "Manage event subscriptions, and check what they deliver",
		Example: "  pdpp-mcp subscriptions list\n  pdpp-mcp subscriptions capabilities",
		Args:    invocation.NoCommand,
		RunE:    invocation.ShowHelp,
	}
	subscriptions.AddCommand(newVerifyCommand(terminal))
	commands := []*cobra.Command{subscriptions}
	for _, generated := range gen.Commands() {
		create := newAnswerCommand
		if generated.Download != nil {
			create = newDownloadCommand
		}
		if command := create(terminal, log, generated); len(generated.Words) > 1 {
			subscriptions.AddCommand(command)
		} else {
			commands = append(commands, command)
		}
	}
	return commands
}

// use is the effect of a generated command.
type use func(command *cobra.Command, env tool.Env, arguments json.RawMessage) error

// newGeneratedCommand returns a command that uses all grants if its request can choose among them. Otherwise it uses a
// single one, and may send changes. Check returns an error for wrong flags.
func newGeneratedCommand(log *invocation.Log, generated tool.Command, check func() error, run use) *cobra.Command {
	command := &cobra.Command{
		Use:     generated.Words[len(generated.Words)-1],
		Short:   generated.Title,
		Long:    generated.Description,
		Example: exampleLines("", generated.Examples),
		Args:    cobra.ArbitraryArgs, // Object refuses them
	}
	arguments := invocation.AddArguments(command.Flags(), generated.Arguments, false)
	command.Use += arguments.Usage()
	sources := &invocation.Sources{ReadsEvery: generated.OfSources}
	if generated.OfSources {
		sources.AddFlags(command.Flags())
	} else {
		sources.Provider.AddFlags(command.Flags())
	}
	command.RunE = func(command *cobra.Command, words []string) error {
		if err := check(); err != nil {
			return err
		}
		object, err := arguments.Object(command, words)
		if err != nil {
			return err
		}
		environment := sources.Environment
		if !generated.OfSources {
			environment = sources.WritingEnvironment
		}
		env, end, err := environment(command.Context(), log.Logger())
		if err != nil {
			return advised(command, err)
		}
		defer end()
		return advised(command, run(command, env, object))
	}
	return command
}

// newAnswerCommand returns a command that sends one request and prints the answer, even if the answer does not confirm
// the requested state.
func newAnswerCommand(terminal invocation.Terminal, log *invocation.Log, generated tool.Command) *cobra.Command {
	format := display.Format{Terminal: terminal}
	secretFile := ""
	command := newGeneratedCommand(log, generated, format.Check, func(command *cobra.Command, env tool.Env, arguments json.RawMessage) error {
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
		result, failed := generated.Ask.Run(ctx, env, arguments)
		if unconfirmed, ok := errors.AsType[*tool.UnconfirmedError](failed); ok {
			result = unconfirmed.Result
		} else if failed != nil {
			return failed
		}
		noteMore(terminal, result)
		var distinct []string // members that distinguish the rows of several grants and providers
		if generated.OfSources {
			distinct = []string{"grant_id", "provider_url"}
		}
		return errors.Join(failed, format.PrintList(command.Context(), result, generated.Columns, distinct))
	})
	if generated.Secret {
		command.Flags().StringVar(&secretFile, "secret-file", "", "new `file` of mode 0600 for the signing secret, instead of the output")
	}
	format.AddFlags(command.Flags())
	return command
}

// noteMore prints on stderr that a list has more rows (R-HAND-8), and that a source is missing (R-LOCAL-2).
func noteMore(terminal invocation.Terminal, answer *tool.Result) {
	var list display.List
	if json.Unmarshal(answer.Structured, &list) != nil {
		return
	}
	if list.HasMore {
		terminal.Note("the provider has more than the %s shown", invocation.Count(len(list.Data), "row"))
	}
	for _, warning := range list.Meta.Warnings {
		members, _ := rawjson.ParseObject(warning)
		terminal.Note("%s", members.Text("message"))
	}
}
