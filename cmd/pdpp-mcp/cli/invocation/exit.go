package invocation

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

// ExitCode maps an error to the exit code of its kind. An error of a command that has an ExitCode tells its code itself.
func ExitCode(err error) int {
	var coded interface{ ExitCode() int }
	var option *rs.OptionError
	var hosted *host.OptionError
	var verifying *auth.OptionError
	var unusable *credential.Error
	var refusal *host.Refusal
	var unchanged *mcphost.Error
	var untrusted *webhook.Refusal
	var secret *webhook.SecretError
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case errors.As(err, &coded):
		return coded.ExitCode()
	case errors.As(err, &unchanged):
		return ExitConfiguration
	case errors.As(err, &refusal):
		return ExitRefused
	case errors.As(err, &unusable):
		return ClassCode(unusable.Class)
	case errors.As(err, &option), errors.As(err, &hosted), errors.As(err, &verifying):
		return ExitUsage
	case errors.As(err, &untrusted):
		return ExitToolError
	case errors.As(err, &secret):
		return ExitConfiguration
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
		return ExitToolError
	case errors.As(err, &own):
		return ownCode(own.Code)
	case errors.As(err, &failure) && (failure.Reason == rs.Unreachable || failure.Reason == rs.Timeout):
		return ExitUnreachable
	case errors.As(err, &failure):
		return ExitToolError
	case errors.As(err, &refused) && isCredentialAtFault(refused):
		return ExitConfiguration
	case errors.As(err, &refused):
		return ExitToolError
	}
	return ExitInternal
}

func ownCode(code tool.Code) int {
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
