package credential

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Class groups errors by what the user has to change. It determines the exit code of a command.
type Class string

// The classes, with their exit codes (docs/interfaces.md).
const (
	Usage         Class = "usage"         // 64: a wrong flag or value
	Unreachable   Class = "unreachable"   // 69: no answer from the provider or its authorization server
	Internal      Class = "internal"      // 70: a fault of the adapter
	Refused       Class = "refused"       // 77: an owner credential, or a package token
	Configuration Class = "configuration" // 78: a credential is missing, expired, malformed or exposed
)

// Error explains why there is no usable credential. It never contains a token.
type Error struct {
	Class    Class
	Message  string // what is wrong, and where
	NextStep string // what to do; empty: run Command, if there is one
	Command  string // a command line that fixes it, such as "pdpp-mcp connect https://pdpp.example"; may be empty
	Provider string // the provider URL that was probably intended; may be empty
	Cause    error  // may be nil
}

// Misconfigured returns an error of class Configuration. The cause may be nil.
func Misconfigured(message, nextStep string, cause error) *Error {
	return &Error{Class: Configuration, Message: message, NextStep: nextStep, Cause: cause}
}

// Misused returns an error of class Usage. The cause may be nil.
func Misused(message, nextStep string, cause error) *Error {
	return &Error{Class: Usage, Message: message, NextStep: nextStep, Cause: cause}
}

// Error returns the message and the next step on one line.
func (e *Error) Error() string {
	nextStep := e.NextStep
	if nextStep == "" && e.Command != "" {
		nextStep = "run: " + e.Command
	}
	return rs.Explain(e.Message, nextStep)
}

func (e *Error) Unwrap() error { return e.Cause }

// Cause returns a file error without its path, for messages that name the path.
func Cause(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return failed.Err
	}
	if fault, ok := errors.AsType[*ownfile.Fault](err); ok {
		return errors.New("it " + fault.Reason)
	}
	return err
}
