package invocation

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/runtime/webhook"
	"github.com/spf13/cobra"
)

// The exit codes of interfaces.md. ExitToolError is an answer in which a tool says no for a reason
// that has no other code.
const (
	ExitOK            = 0
	ExitToolError     = 1
	ExitUsage         = 64
	ExitUnreachable   = 69
	ExitInternal      = 70
	ExitRefused       = 77
	ExitConfiguration = 78
	ExitInterrupted   = 130 // as shells have it for a process that Ctrl-C ended
)

// ErrInterrupted ends a command that a signal broke off. What was printed can be used.
var ErrInterrupted = errors.New("interrupted")

// ClassCode is the exit code of a class of errors; 0 when there is none.
func ClassCode(class credential.Class) int {
	return map[credential.Class]int{
		credential.Usage:         ExitUsage,
		credential.Unreachable:   ExitUnreachable,
		credential.Internal:      ExitInternal,
		credential.Refused:       ExitRefused,
		credential.Configuration: ExitConfiguration,
	}[class]
}

// ExitCode maps an error to the exit code of its kind. An error with a method ExitCode gives its code itself.
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
		if isCredentialAtFault(refused) {
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

// isCredentialAtFault reports whether only another credential can help. A name that the grant does not hold is answered
// with 401 too, and is the question's fault (rs-contract.md, Errors).
func isCredentialAtFault(refused *rs.Error) bool {
	switch refused.Code {
	case "context.stream_not_allowed", "context.instance_mismatch":
		return false
	case "grant_expired", "grant_revoked":
		return true
	}
	return refused.Status == http.StatusUnauthorized
}

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
