package invocation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/nearname"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/webhook"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The exit codes of pdpp-mcp. ExitToolError is a tool error without a more specific code.
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
	refused, isRefused := errors.AsType[*tool.Error](err)
	failure, isFailure := errors.AsType[*rs.Failure](err)
	answer, isAnswer := errors.AsType[*rs.Error](err)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case errors.As(err, &coded):
		return coded.ExitCode()
	case is[*admission.Refusal](err):
		return ExitRefused
	case is[*rs.OptionError](err):
		return ExitUsage
	case is[*webhook.Refusal](err), is[*tool.UnconfirmedError](err):
		return ExitToolError
	case is[*webhook.SecretError](err):
		return ExitConfiguration
	case isUnusable:
		return ClassCode(unusable.Class)
	case isRefused && refused.AboutNames:
		return ExitToolError
	case isRefused && slices.Contains(usageCodes, refused.Code):
		return ExitUsage
	case isRefused && refused.Code == tool.Internal:
		return ExitInternal
	case isRefused:
		return ExitToolError
	case isFailure && (failure.Reason == rs.Unreachable || failure.Reason == rs.Timeout):
		return ExitUnreachable
	case isAnswer && !isFailure && answer.NeedsSignIn():
		return ExitConfiguration
	case isFailure, isAnswer:
		return ExitToolError
	}
	return ExitInternal
}

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// usageCodes are the codes of calls that a tool refuses because of their arguments. An unknown name of a stream or a
// connection is ExitToolError whether the adapter or the resource server finds it.
var usageCodes = []tool.Code{
	tool.InvalidArguments, tool.UnknownArgument, tool.InvalidFilter, tool.InvalidExpand, tool.InvalidID,
	tool.ConflictingConnectionID, tool.InvalidFieldWindowSelector, tool.InvalidSchemaDetail,
}

type codedError struct {
	message string
	code    int
}

func (e *codedError) Error() string { return e.message }

func (e *codedError) ExitCode() int { return e.code }

// Usagef returns the error of a wrong command line, with ExitUsage. The message must say how to correct it.
func Usagef(format string, values ...any) error {
	return &codedError{fmt.Sprintf(format, values...), ExitUsage}
}

// Failf returns the error of a command that cannot use the data that it received, with ExitToolError.
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

// OneArgument returns a cobra.PositionalArgs that requires one argument. The name describes it.
func OneArgument(name string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) != 1 {
			return Usagef("%s takes one <%s>, got %d; run: %[1]s --help", command.CommandPath(), name, len(arguments))
		}
		return nil
	}
}

// NoCommand refuses the arguments of a command that has only subcommands. It is a cobra.PositionalArgs.
func NoCommand(command *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return UnknownCommand(command, arguments[0])
	}
	return nil
}

// aliases are names from other programs for commands.
var aliases = map[string]string{
	"login": "connect", "signin": "connect", "auth": "connect", "logout": "disconnect", "list": "streams",
}

// UnknownCommand returns the error for an unknown subcommand, with the name that was probably meant.
func UnknownCommand(command *cobra.Command, word string) error {
	var names []string
	for _, child := range command.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	suggestion := DidYouMean(word, "", names)
	if alias := aliases[word]; slices.Contains(names, alias) {
		suggestion = "did you mean " + alias + "? "
	}
	return Usagef("unknown command %q; %srun: %s --help", word, suggestion, command.CommandPath())
}

// WrongFlag returns the error for a flag that a command does not have or cannot read.
func WrongFlag(command *cobra.Command, err error) error {
	suggestion := ""
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		command.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		suggestion = DidYouMean(unknown.GetSpecifiedName(), "--", names)
	}
	return Usagef("%v; %srun: %s --help", err, suggestion, command.CommandPath())
}

// DidYouMean returns a question that suggests the name nearest to a wrong word. A space follows it. It is empty if no
// name is near.
func DidYouMean(word, prefix string, names []string) string {
	if name := nearname.Nearest(word, names); name != "" {
		return "did you mean " + prefix + name + "? "
	}
	return ""
}

// ShowHelp runs a command that has only subcommands.
func ShowHelp(command *cobra.Command, _ []string) error { return command.Help() }
