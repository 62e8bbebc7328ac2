package rs

import (
	"encoding/json"
	"fmt"
)

// Error is an answer in which the RS says no (R-ERR-1). It keeps the whole error object: the value of
// the body's error member, or the body itself in the shapes that have none.
type Error struct {
	Status    int             // HTTP status
	Type      string          // the envelope's type; derived from the status when the RS sent none
	Code      string          // the envelope's code; derived from the status when the RS sent none
	Message   string          // for people and models
	Envelope  json.RawMessage // the error object with every member that the RS sent; nil when the body was no JSON object
	RequestID string

	// RetryAfter is the Retry-After header as it was sent, seconds or an HTTP date (RFC 9110,
	// section 10.2.3); empty when there was none.
	RetryAfter string

	URL string // absolute URL at the provider's public origin, also when it was read elsewhere; never holds a bearer
}

func (e *Error) Error() string {
	return fmt.Sprintf("resource server answered %d %s: %s", e.Status, e.Code, e.Message)
}

// Reason says why an answer could not be used. The values are stable adapter error codes.
type Reason string

// The reasons, as interfaces.md lists them.
const (
	Unreachable      Reason = "rs_unreachable"        // no status line came
	Timeout          Reason = "rs_timeout"            // the answer was not whole in time
	InvalidResponse  Reason = "rs_invalid_response"   // what came is not what the contract promises
	ResponseTooLarge Reason = "rs_response_too_large" // more bytes than Options.MaxBody
	Redirected       Reason = "rs_redirect"           // a redirect, which is not followed
)

// Failure is a request that got no usable answer (R-ERR-4).
type Failure struct {
	Reason    Reason
	Message   string // what happened, the limit if one was passed, and the next step
	Status    int    // HTTP status, or 0 when there was none
	RequestID string
	URL       string // absolute URL at the provider's public origin, also when it was read elsewhere; never holds a bearer
	Cause     error  // may be nil; for logs, since it may name the address that was dialled

	passing bool // the same request may be answered when it is sent again
}

func (f *Failure) Error() string { return string(f.Reason) + ": " + f.Message }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }
