package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Code is a stable adapter error code.
type Code string

// RateLimitExceeded is the code of a call that has sent too many requests, and of too many calls.
const RateLimitExceeded = Code(rs.TooManyRequests)

// Error is a refusal by the adapter (R-ERR-2). The model gets it as an error object of type adapter_error with these
// members.
type Error struct {
	Code      Code
	Message   string   // names the argument, the limit and the next step
	Param     string   // the argument at fault, or empty
	Accepted  []string // values or names that would have been accepted, or nil
	RetryWith string   // the argument to add, such as connection_id, or empty

	AboutNames bool   // it is about a name that the schema can correct
	DidYouMean string // the one of Accepted that was certainly meant, or empty

	// Instead is the corrected calls, each with the arguments that replace those given; a nil value removes an argument.
	// It is nil if no correction is certain.
	Instead []rawjson.Object
	Next    json.RawMessage // an array of other calls that help, or nil

	AvailableConnections   json.RawMessage // an array of the candidates (R-ERR-5), or nil
	AvailableTotal         int             // the number of candidates if AvailableConnections has only the first ones, otherwise 0
	UnavailableConnections json.RawMessage // an array of sources that cannot be used now, with their reasons (R-PKG-8), or nil

	Cause error // may be nil
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Explained adds the accepted values to an error (R-ERR-7). It keeps everything that the error says.
type Explained struct {
	Cause      error           // an *Error of this package or an *rs.Error
	Param      string          // the argument at fault, or empty
	DidYouMean string          // the name that was certainly meant, or empty
	Accepted   []string        // the accepted names, the nearest first; nil: unknown
	Hint       string          // an explanation; empty: the advice for the code
	Next       json.RawMessage // an array of the corrected calls; nil: no correction is certain
	Command    string          // the command line that signs in again; empty: none helps
}

// SignInAgain returns a refusal of a token that has ended, with the command line that gets a new one.
func SignInAgain(cause error, command string) *Explained {
	return &Explained{Cause: cause, Command: command, Hint: "No change of arguments helps: the user has to sign in again. The command for it: " + command}
}

// Error returns the cause's text, and the name that was meant or the first accepted ones.
func (e *Explained) Error() string {
	switch {
	case e.DidYouMean != "":
		return fmt.Sprintf("%s; did you mean %q?", e.Cause, e.DidYouMean)
	case len(e.Accepted) > 0:
		return fmt.Sprintf("%s; there are %s", e.Cause, strings.Join(e.Accepted[:min(len(e.Accepted), namesInError)], ", "))
	}
	return e.Cause.Error()
}

const namesInError = 12

func (e *Explained) Unwrap() error { return e.Cause }

// UnconfirmedError is a change that the resource server accepted without reporting the requested state. Result is what
// it reported. It is shown, since it may hold a secret that no later answer has.
type UnconfirmedError struct {
	Message string
	Result  *Result
	Cause   error // may be nil
}

func (e *UnconfirmedError) Error() string { return e.Message }

func (e *UnconfirmedError) Unwrap() error { return e.Cause }

// OK is the outcome of a call without an error.
const OK = "ok"

// Outcome returns the outcome of a call for logs, metrics and accounts: OK, or the code of its error. The codes of a
// resource server are an open set and become rs_404 and the like.
func Outcome(err error) string {
	if err == nil {
		return OK
	}
	var failed *Error
	var unusable *rs.Failure
	var refused *rs.Error
	switch {
	case errors.As(err, &failed):
		return string(failed.Code)
	case errors.As(err, &unusable):
		return string(unusable.Reason)
	case errors.As(err, new(*answer.TooLargeError)):
		return string(rs.InvalidResponse)
	case errors.As(err, &refused):
		return fmt.Sprintf("rs_%d", refused.Status)
	}
	return string(Internal)
}

// AuditCode is Outcome for the audit: it returns the resource server's code if it is a known one, such as
// context.stream_not_allowed. An unknown code could repeat an argument.
func AuditCode(err error) string {
	var own *Error
	var refused *rs.Error
	if !errors.As(err, &own) && errors.As(err, &refused) {
		if _, isKnown := adviceFor[refused.Code]; isKnown {
			return refused.Code
		}
	}
	return Outcome(err)
}
