package main

import (
	"errors"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/mcphost"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/runtime/webhook"
)

// The exit codes of interfaces.md. exitToolError is an answer in which a tool says no for a reason
// that no other code stands for.
const (
	exitOK            = 0
	exitToolError     = 1
	exitUsage         = 64
	exitUnreachable   = 69
	exitInternal      = 70
	exitRefused       = 77
	exitConfiguration = 78
	exitInterrupted   = 130 // as shells have it for a process that Ctrl-C ended
)

// usageError is a command line that makes no sense. Its message says what would.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

var classCodes = map[credential.Class]int{
	credential.Usage:         exitUsage,
	credential.Unreachable:   exitUnreachable,
	credential.Internal:      exitInternal,
	credential.Refused:       exitRefused,
	credential.Configuration: exitConfiguration,
}

// exitCode maps an error to the exit code of its kind.
func exitCode(err error) int {
	var usage *usageError
	var option *rs.OptionError
	var hosted *host.OptionError
	var verifying *auth.OptionError
	var unusable *credential.Error
	var refusal *host.Refusal
	var unwell *doctorError
	var unchanged *mcphost.Error
	var untrusted *webhook.Refusal
	var secret *webhook.SecretError
	var mismatch *mismatchError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &unwell):
		return classCodes[unwell.first.Class]
	case errors.As(err, &unchanged):
		return exitConfiguration
	case errors.Is(err, errInterrupted), errors.Is(err, errReadingInterrupted):
		return exitInterrupted
	case errors.As(err, &refusal):
		return exitRefused
	case errors.As(err, &unusable):
		return classCodes[unusable.Class]
	case errors.As(err, &usage), errors.As(err, &option), errors.As(err, &hosted), errors.As(err, &verifying):
		return exitUsage
	case errors.As(err, &untrusted), errors.As(err, &mismatch), isIncomplete(err):
		return exitToolError
	case errors.As(err, &secret):
		return exitConfiguration
	}
	return answerCode(err)
}

// answerCode maps the error of a tool call.
func answerCode(err error) int {
	var refused *rs.Error
	var failure *rs.Failure
	var own *tool.Error
	var unconfirmed *tool.UnconfirmedError
	switch {
	case errors.As(err, &unconfirmed):
		return exitToolError
	case errors.As(err, &own):
		return ownCode(own.Code)
	case errors.As(err, &failure) && (failure.Reason == rs.Unreachable || failure.Reason == rs.Timeout):
		return exitUnreachable
	case errors.As(err, &failure):
		return exitToolError
	case errors.As(err, &refused) && isCredentialAtFault(refused):
		return exitConfiguration
	case errors.As(err, &refused):
		return exitToolError
	}
	return exitInternal
}

func ownCode(code tool.Code) int {
	switch code {
	case tool.InvalidArguments, tool.UnknownArgument, tool.InvalidFilter, tool.InvalidExpand, tool.InvalidID,
		tool.ConflictingConnectionID, tool.InvalidFieldWindowSelector, tool.InvalidSchemaDetail:
		return exitUsage
	case tool.Internal:
		return exitInternal
	}
	return exitToolError
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
