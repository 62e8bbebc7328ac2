package invocation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/runtime/webhook"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit codes of pdpp-mcp. ExitToolError is a refusal by a tool for a reason without a code of its own.
const (
	ExitOK            = 0
	ExitToolError     = 1
	ExitUsage         = 64
	ExitUnreachable   = 69
	ExitInternal      = 70
	ExitRefused       = 77
	ExitConfiguration = 78
	ExitInterrupted   = 130 // 128 + SIGINT, as in shells
)

// ErrInterrupted is the error of a command that a signal stopped. What it printed is valid.
var ErrInterrupted = errors.New("interrupted")

// ClassCode returns the exit code of a class of errors, or 0 if the class has none.
func ClassCode(class credential.Class) int {
	return map[credential.Class]int{
		credential.Usage:         ExitUsage,
		credential.Unreachable:   ExitUnreachable,
		credential.Internal:      ExitInternal,
		credential.Refused:       ExitRefused,
		credential.Configuration: ExitConfiguration,
	}[class]
}

// ExitCode maps an error to an exit code. An error with a method ExitCode chooses its own.
func ExitCode(err error) int {
	var coded interface{ ExitCode() int }
	unusable, isUnusable := errors.AsType[*credential.Error](err)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case errors.As(err, &coded):
		return coded.ExitCode()
	case is[*host.Refusal](err):
		return ExitRefused
	case isUnusable:
		return ClassCode(unusable.Class)
	case is[*rs.OptionError](err), is[*host.OptionError](err):
		return ExitUsage
	case is[*webhook.Refusal](err), is[*tool.UnconfirmedError](err):
		return ExitToolError
	case is[*webhook.SecretError](err):
		return ExitConfiguration
	}
	return answerCode(err)
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// answerCode maps the error of a tool call.
func answerCode(err error) int {
	if refused, ok := errors.AsType[*tool.Error](err); ok {
		return refusedCode(refused.Code)
	}
	if failure, ok := errors.AsType[*rs.Failure](err); ok {
		if failure.Reason == rs.Unreachable || failure.Reason == rs.Timeout {
			return ExitUnreachable
		}
		return ExitToolError
	}
	if refused, ok := errors.AsType[*rs.Error](err); ok {
		if refused.NeedsSignIn() {
			return ExitConfiguration
		}
		return ExitToolError
	}
	return ExitInternal
}

// refusedCode maps the code of a call that a tool refused before any read.
func refusedCode(code tool.Code) int {
	switch code {
	case tool.InvalidArguments, tool.UnknownArgument, tool.InvalidFilter, tool.InvalidExpand, tool.InvalidID,
		tool.ConflictingConnectionID, tool.InvalidFieldWindowSelector, tool.InvalidSchemaDetail:
		return ExitUsage
	case tool.Internal:
		return ExitInternal
	}
	return ExitToolError
}

// codedError is an error with its exit code. It wraps nothing.
type codedError struct {
	message string
	code    int
}

func (e *codedError) Error() string { return e.message }

// ExitCode returns the code.
func (e *codedError) ExitCode() int { return e.code }

// Usagef returns the error of a wrong command line, with ExitUsage. Its message says how to correct it.
func Usagef(format string, values ...any) error {
	return &codedError{fmt.Sprintf(format, values...), ExitUsage}
}

// Failf returns the error of a command that cannot go on with the data that it got, with ExitToolError.
func Failf(format string, values ...any) error {
	return &codedError{fmt.Sprintf(format, values...), ExitToolError}
}

// NoArguments refuses positional arguments. It is a cobra.PositionalArgs.
func NoArguments(command *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return Usagef("unexpected argument %q; run: %s --help", arguments[0], command.CommandPath())
	}
	return nil
}

// OneArgument returns a cobra.PositionalArgs that refuses all but one argument, which the name describes.
func OneArgument(name string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) != 1 {
			return Usagef("%s takes one <%s>, got %d; run: %[1]s --help", command.CommandPath(), name, len(arguments))
		}
		return nil
	}
}

// NoCommand refuses the arguments of a command that only holds others as unknown commands. It is a cobra.PositionalArgs.
func NoCommand(command *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return UnknownCommand(command, arguments[0])
	}
	return nil
}

// otherNames are the names that other programs give to commands.
var otherNames = map[string]string{
	"login": "connect", "signin": "connect", "auth": "connect", "logout": "disconnect", "ls": "streams", "list": "streams",
}

// UnknownCommand is the error for a word that is no command below another, with the one that was meant.
func UnknownCommand(command *cobra.Command, word string) error {
	var names []string
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	meant := DidYouMean(word, "", names)
	if other := otherNames[word]; slices.Contains(names, other) {
		meant = "did you mean " + other + "? "
	}
	return Usagef("unknown command %q; %srun: %s --help", word, meant, command.CommandPath())
}

// WrongFlag is the error for a flag that a command does not take or cannot read, with the one that was meant.
func WrongFlag(command *cobra.Command, err error) error {
	meant := ""
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		command.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		meant = DidYouMean(unknown.GetSpecifiedName(), "--", names)
	}
	return Usagef("%v; %srun: %s --help", err, meant, command.CommandPath())
}

// DidYouMean asks for the name that a wrong word was meant as, with what is written before such names. It ends with a space, and is
// empty when there is none.
func DidYouMean(word, before string, names []string) string {
	if meant := nearname.Nearest(word, names); meant != "" {
		return "did you mean " + before + meant + "? "
	}
	return ""
}

// ShowHelp runs a command that only holds others: it prints its help.
func ShowHelp(command *cobra.Command, _ []string) error { return command.Help() }
