package credential

import "github.com/pdppmcp/pdpp-mcp/runtime/rs"

// Class groups errors by what the user has to change. Commands turn it into an exit code.
type Class string

// The classes, with the exit codes that interfaces.md gives them.
const (
	Usage         Class = "usage"         // 64: a flag or its value is wrong
	Unreachable   Class = "unreachable"   // 69: the provider or its authorization server did not answer
	Internal      Class = "internal"      // 70: the adapter itself failed
	Refused       Class = "refused"       // 77: an owner credential
	Configuration Class = "configuration" // 78: a credential is missing, expired, malformed or exposed
)

// Error says why there is no credential to use. It never holds a token.
type Error struct {
	Class    Class
	Message  string // what is wrong, and where
	NextStep string // what to do now; empty: to run Command, if there is one
	Command  string // a command line that mends it, such as "pdpp-mcp connect https://pdpp.example"; may be empty
	Provider string // the provider URL that was probably meant; may be empty
	Cause    error  // may be nil
}

// Misconfigured is an error of class Configuration. The cause may be nil.
func Misconfigured(message, nextStep string, cause error) *Error {
	return &Error{Class: Configuration, Message: message, NextStep: nextStep, Cause: cause}
}

// Error is one line: the message and the next step.
func (e *Error) Error() string {
	nextStep := e.NextStep
	if nextStep == "" && e.Command != "" {
		nextStep = "run: " + e.Command
	}
	return rs.Explain(e.Message, nextStep)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }
