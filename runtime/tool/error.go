package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Code is a stable adapter error code.
type Code string

// The codes that the adapter itself raises, as interfaces.md lists them. The codes of failed RS
// requests are rs.Reason values.
const (
	InvalidArguments           Code = "invalid_arguments"
	UnknownArgument            Code = "unknown_argument"
	InvalidFilter              Code = "invalid_filter"
	InvalidTimeRange           Code = "invalid_time_range"
	InvalidExpand              Code = "invalid_expand"
	InvalidID                  Code = "invalid_id"
	ConflictingConnectionID    Code = "conflicting_connection_id"
	InvalidFieldWindowSelector Code = "invalid_field_window_selector"
	InvalidResourceURI         Code = "invalid_resource_uri"
	InvalidSchemaDetail        Code = "invalid_schema_detail"
	AmbiguousConnection        Code = "ambiguous_connection"
	PackageRevoked             Code = "package_revoked"
	PackageUnsupported         Code = "package_unsupported"
	SourceUnavailable          Code = "source_unavailable"
	RateLimitExceeded          Code = "rate_limit_exceeded"
	BlobTooLarge               Code = "blob_too_large"
	BlobNotText                Code = "blob_not_text"

	// Internal stands for an error of a kind that no tool promises.
	Internal Code = "internal"
)

// Error is a refusal by the adapter (R-ERR-2). It reaches the model as an error object of type
// adapter_error with the members below.
type Error struct {
	Code      Code
	Message   string   // names the argument, the limit and the next step
	Param     string   // the argument at fault, or empty
	Accepted  []string // values or names that would have been accepted, or nil
	RetryWith string   // the argument to add, such as connection_id, or empty

	AboutNames bool   // it is about a name of the schema, and what would do is looked up there
	DidYouMean string // the one of Accepted that was certainly meant, or empty

	// Instead has the corrected calls, each as the arguments that replace those given; a nil value leaves an argument out.
	// It is nil if no call is certain.
	Instead []rawjson.Object
	Next    json.RawMessage // other calls that help, as continuations are written; nil: none

	// AvailableConnections is a JSON array of the candidates (R-ERR-5), or nil.
	AvailableConnections json.RawMessage

	// AvailableTotal is how many candidates there are when AvailableConnections holds only the first of them;
	// else 0.
	AvailableTotal int

	// UnavailableConnections is a JSON array of sources that cannot be used now, each with its reason
	// (R-PKG-8), or nil.
	UnavailableConnections json.RawMessage

	Cause error // may be nil
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Explained is an error of a call with what would do in the place of what was refused (R-ERR-7). What its cause says itself
// stands.
type Explained struct {
	Cause      error           // an *Error of this package or an *rs.Error
	Param      string          // the argument at fault, or empty
	DidYouMean string          // the name that was certainly meant, or empty
	Accepted   []string        // the names that would do, the nearest first; nil: unknown
	Hint       string          // what is so, in words; empty: what goes with the code
	Next       json.RawMessage // the corrected calls, as continuations are written; nil: none is certain

	// NextNamesConnections says that Next has a call of each available connection with its label, so that the text need not list
	// them (R-ERR-5).
	NextNamesConnections bool
}

// SignInAgain returns a refusal of a token that has ended, with the command line that gets a new one.
func SignInAgain(cause error, command string) *Explained {
	return &Explained{Cause: cause, Hint: "No change of arguments helps: the user has to sign in again. The command for it: " + command}
}

// Error is the cause's text, and what would do: the name that was meant, else the first of those that would.
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

// Unwrap gives the cause.
func (e *Explained) Unwrap() error { return e.Cause }

// UnconfirmedError is a change that the resource server accepted, when what was asked for is not so afterwards, or
// cannot be seen to be. Result is what the server says is so; it is shown, since it may hold what no later answer has.
type UnconfirmedError struct {
	Message string
	Result  *Result
	Cause   error // may be nil
}

func (e *UnconfirmedError) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *UnconfirmedError) Unwrap() error { return e.Cause }

// OK is the outcome of a call without an error.
const OK = "ok"

// Outcome names what became of a call, for logs, metrics and accounts: OK, or the code of its error. It never repeats what a
// resource server wrote, whose codes are an open set: they become rs_404 and the like.
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
	case errors.As(err, &refused):
		return fmt.Sprintf("rs_%d", refused.Status)
	}
	return string(Internal)
}

// AuditCode is Outcome for the audit: it names the resource server's own code if that is a known one, such as
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
