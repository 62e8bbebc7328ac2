// Package cli is the command line of pdpp-mcp: it joins the commands of the packages below it to one tree, prints their
// help, and maps errors to exit codes. The programs pdpp-mcp and pdpp-mcp-otel call Main.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
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

// Main runs the command line of this process and returns the exit code. The first SIGINT or SIGTERM cancels the
// command, a second one ends the process. See NewRoot for release and tracing.
func Main(release string, tracing invocation.Tracing) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], invocation.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, release, tracing)
}

// execute runs one command line, prints its error and returns the exit code.
func execute(ctx context.Context, arguments []string, terminal invocation.Terminal, release string, tracing invocation.Tracing) (code int) {
	root, log := NewRoot(terminal, release, tracing)
	root.SetArgs(arguments)
	defer func() {
		// The value of a panic may hold record data, so only the stack is logged.
		if recover() != nil {
			log.Logger().Debug("panicked", "stack", string(debug.Stack()))
			log.Fatal(errPanicked, invocation.ExitInternal)
			code = invocation.ExitInternal
		}
	}()
	command, err := root.ExecuteContextC(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = invocation.ErrInterrupted
	}
	if err = invocation.AddCommandLines(err, command, arguments); err != nil {
		log.Fatal(err, invocation.ExitCode(err))
	}
	return invocation.ExitCode(err)
}

var errPanicked = errors.New("internal error; run the command again with --log-level debug and report the output")

// NewRoot returns the tree of all commands and the log that they share. The release is empty for a development build.
// Tracing is nil for a program that cannot trace.
func NewRoot(terminal invocation.Terminal, release string, tracing invocation.Tracing) (*cobra.Command, *invocation.Log) {
	version := buildVersion(release)
	var showsVersion bool
	terminal.NoPager = new(bool)
	root := &cobra.Command{
		Use:   "pdpp-mcp <command>",
		Short: "Serve personal data of a PDPP provider to MCP clients, read-only",
		Long: `pdpp-mcp reads personal data from a PDPP provider, in this terminal and for clients of the Model Context
Protocol. It is read-only, and reads only what the owner granted.`,
		Example: "  pdpp-mcp connect https://pdpp.example\n  pdpp-mcp streams",
		Args:    invocation.NoCommand,
		RunE: func(command *cobra.Command, _ []string) error {
			if showsVersion {
				_, err := io.WriteString(terminal.Out, versionText(version))
				return err
			}
			return command.Help()
		},
		SilenceErrors: true, // execute prints them
		SilenceUsage:  true,
		PersistentPreRunE: func(command *cobra.Command, _ []string) error {
			if !command.HasParent() || strings.HasPrefix(command.Name(), cobra.ShellCompRequestCmd) {
				return nil // the root has no settings, and completion prints no errors
			}
			return invocation.Fill(command)
		},
	}
	root.SetIn(terminal.In)
	root.SetOut(terminal.Out)
	root.SetErr(terminal.Err)
	// Command.Version prints with a template, which makes the linker keep every method of every type.
	root.Flags().BoolVarP(&showsVersion, "version", "v", false, "version for pdpp-mcp")
	root.SetFlagErrorFunc(invocation.WrongFlag)
	log := invocation.NewLog(terminal.Err, root.PersistentFlags())
	invocation.AddConfig(root.PersistentFlags())
	terminal.AddPagerFlag(root.PersistentFlags())
	root.AddCommand(
		serving.NewStdioCommand(terminal, log, version, tracing),
		serving.NewServeCommand(log, version, tracing),
		serving.NewHealthcheckCommand(),
		calling.NewCallCommand(terminal, log),
		calling.NewDescribeCommand(terminal, log),
		syncing.NewSyncCommand(terminal, log),
		setup.NewDoctorCommand(terminal),
		setup.NewSetupCommand(terminal),
		signin.NewConnectCommand(terminal, log),
		signin.NewConnectionsCommand(terminal, log),
		signin.NewDisconnectCommand(terminal, log),
		activity.NewCommand(terminal, log),
		newFootprintCommand(terminal),
		newVersionCommand(terminal, version),
		newFlagsTopic(),
	)
	root.AddCommand(calling.NewShortCommands(terminal, log)...)
	root.AddCommand(calling.NewOperatorCommands(terminal, log)...)
	root.AddCommand(newTopics(root)...)
	addHelp(root, terminal)
	completion.Add(root)
	return root, log
}
