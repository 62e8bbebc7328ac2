package invocation

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageError is a command line that makes no sense. Its message says what would.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// ExitCode is that of every wrong command line.
func (e *usageError) ExitCode() int { return ExitUsage }

// Usagef is a usageError with a formatted message.
func Usagef(format string, values ...any) error {
	return &usageError{fmt.Sprintf(format, values...)}
}

// NoArguments refuses arguments that no flag takes.
func NoArguments(command *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return Usagef("unexpected argument %q; run: %s --help", arguments[0], command.CommandPath())
	}
	return nil
}

// NoCommand refuses arguments of a command that only holds others: each is a command that is not there.
func NoCommand(command *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return Usagef("unknown command %q; run: %s --help", arguments[0], command.CommandPath())
	}
	return nil
}

// ShowHelp is what a command does that only holds others.
func ShowHelp(command *cobra.Command, _ []string) error { return command.Help() }
