package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// execute runs one command line and gives the exit code. What went wrong is one line on stderr.
func execute(ctx context.Context, arguments []string, terminal terminal) (code int) {
	root, logging := newRootCommand(terminal)
	root.SetArgs(arguments)
	defer func() {
		// A panic is a fault of the program. Its value may hold record data, so only its place is told.
		if panicked := recover(); panicked != nil {
			logging.logger().Debug("panicked", "stack", string(debug.Stack()))
			logging.fatal(errPanicked, exitInternal)
			code = exitInternal
		}
	}()
	err := root.ExecuteContext(ctx)
	if err != nil {
		logging.fatal(err, exitCode(err))
	}
	return exitCode(err)
}

var errPanicked = errors.New("an internal fault ended the command; run it again with --log-level debug and report what it shows")

func newRootCommand(terminal terminal) (*cobra.Command, *logging) {
	logging := &logging{destination: terminal.err}
	root := &cobra.Command{
		Use:   "pdpp-mcp",
		Short: "Serve personal data of a PDPP provider to MCP clients, read-only",
		Long: `pdpp-mcp stands between a PDPP provider and a Model Context Protocol client. Its tools
read what the owner granted, and nothing else.

Exit codes: 0 ok, 1 the tool answered with an error, 64 usage, 69 provider unreachable, 70 internal,
77 owner credential refused or access denied by the owner, 78 configuration or credential missing, expired or
malformed, 130 interrupted.`,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) > 0 {
				return &usageError{fmt.Sprintf("unknown command %q; run: pdpp-mcp --help", arguments[0])}
			}
			return nil
		},
		RunE:          func(command *cobra.Command, _ []string) error { return command.Help() },
		SilenceErrors: true, // execute prints them, with the exit code in mind
		SilenceUsage:  true,
		PersistentPreRunE: func(command *cobra.Command, _ []string) error {
			if command.Hidden { // a shell asks for completions; a variable that is wrong is told when a command runs
				return nil
			}
			if err := fillFromEnvironment(command.Flags()); err != nil {
				return err
			}
			return logging.check()
		},
	}
	root.SetIn(terminal.in)
	root.SetOut(terminal.out)
	root.SetErr(terminal.err)
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return &usageError{fmt.Sprintf("%v; run: %s --help", err, command.CommandPath())}
	})
	logging.addFlags(root.PersistentFlags())
	root.AddCommand(
		newStdioCommand(terminal, logging),
		newServeCommand(terminal, logging),
		newHealthcheckCommand(),
		newCallCommand(terminal, logging),
		newDoctorCommand(terminal),
		newSetupCommand(terminal),
		newConnectCommand(terminal, logging),
		newConnectionsCommand(terminal, logging),
		newDisconnectCommand(terminal, logging),
		newFootprintCommand(terminal),
		newVersionCommand(terminal),
		newShareCommand(),
	)
	root.AddCommand(newOperatorCommands(terminal, logging)...)
	addCompletion(root)
	return root, logging
}

// noArguments refuses arguments that no flag takes.
func noArguments(command *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return &usageError{fmt.Sprintf("unexpected argument %q; run: %s --help", arguments[0], command.CommandPath())}
	}
	return nil
}
