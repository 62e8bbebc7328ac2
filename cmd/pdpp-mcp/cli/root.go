// Package cli is the command line of pdpp-mcp: the tree of its commands, their help and their shell completions. The
// commands themselves are in the packages below it.
package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/activity"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/calling"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/completion"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/serving"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/setup"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/signin"
	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/syncing"
)

// Main runs the command line of this process and returns the exit code. A first SIGINT or SIGTERM ends the command, a second one
// the process at once. The release and tracing are those of NewRoot.
func Main(release string, tracing invocation.Tracing) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], invocation.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, release, tracing)
}

// execute runs one command line and returns the exit code. An error is one line on stderr, with next steps indented
// below it.
func execute(ctx context.Context, arguments []string, terminal invocation.Terminal, release string, tracing invocation.Tracing) (code int) {
	root, log := NewRoot(terminal, release, tracing)
	root.SetArgs(arguments)
	defer func() {
		// The value of a panic may hold record data, so only its place is logged.
		if panicked := recover(); panicked != nil {
			log.Logger().Debug("panicked", "stack", string(debug.Stack()))
			log.Fatal(errPanicked, invocation.ExitInternal)
			code = invocation.ExitInternal
		}
	}()
	command, err := root.ExecuteContextC(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = invocation.ErrInterrupted
	}
	if err = invocation.Decided(err, command, arguments); err != nil {
		log.Fatal(err, invocation.ExitCode(err))
	}
	return invocation.ExitCode(err)
}

var errPanicked = errors.New("an internal fault ended the command; run it again with --log-level debug and report what it shows")

// NewRoot makes the tree of all commands and the log that they share. The release is empty for a development build, and tracing
// nil for a program that cannot trace.
func NewRoot(terminal invocation.Terminal, release string, tracing invocation.Tracing) (*cobra.Command, *invocation.Log) {
	version := buildVersion(release)
	root := &cobra.Command{
		Use:   "pdpp-mcp <command>",
		Short: "Serve personal data of a PDPP provider to MCP clients, read-only",
		Long: `pdpp-mcp stands between a PDPP provider and a Model Context Protocol client. Its tools
read what the owner granted, and nothing else.

Exit codes: 0 ok, 1 the tool answered with an error, 64 usage, 69 provider unreachable, 70 internal,
77 owner credential refused or access denied by the owner, 78 configuration or credential missing, expired or
malformed, 130 interrupted.`,
		Version:       version,
		Args:          invocation.NoCommand,
		RunE:          invocation.ShowHelp,
		SilenceErrors: true, // execute prints them
		SilenceUsage:  true,
		PersistentPreRunE: func(command *cobra.Command, _ []string) error {
			if command.Hidden { // completion ignores wrong variables; a command reports them
				return nil
			}
			return invocation.Fill(command)
		},
	}
	root.SetIn(terminal.In)
	root.SetOut(terminal.Out)
	root.SetErr(terminal.Err)
	root.SetFlagErrorFunc(invocation.WrongFlag)
	log := invocation.NewLog(terminal.Err, root.PersistentFlags())
	invocation.AddConfig(root.PersistentFlags())
	root.AddCommand(
		serving.NewStdioCommand(terminal, log, version, tracing),
		serving.NewServeCommand(log, version, tracing),
		serving.NewHealthcheckCommand(),
		calling.NewCallCommand(terminal, log),
		syncing.NewSyncCommand(terminal, log),
		setup.NewDoctorCommand(terminal),
		setup.NewSetupCommand(terminal),
		signin.NewConnectCommand(terminal, log),
		signin.NewConnectionsCommand(terminal, log),
		signin.NewDisconnectCommand(terminal, log),
		activity.NewCommand(terminal, log),
		newFootprintCommand(terminal),
		newVersionCommand(terminal, version),
	)
	root.AddCommand(calling.NewOperatorCommands(terminal, log)...)
	arrange(root, terminal)
	completion.Add(root)
	return root, log
}
