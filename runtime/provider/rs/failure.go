package rs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
)

// Reason says why a response cannot be used. The values are stable adapter error codes.
type Reason string

// Failure is a request without a usable response (R-ERR-4).
type Failure struct {
	Reason    Reason
	Message   string // what happened, and the limit if one was exceeded
	NextStep  string // what to do now; may be empty
	Status    int    // HTTP status, or 0
	RequestID string
	URL       string // absolute URL at the provider's public origin, even if the RS has another address; never holds a bearer
	Cause     error  // may be nil; for logs, since it may name the address that was dialled

	isTransient bool // the same request may succeed if it is sent again
}

func (f *Failure) Error() string { return string(f.Reason) + ": " + f.Text() }

// Text returns one line for people and models: what happened, and what to do now.
func (f *Failure) Text() string { return Explain(f.Message, f.NextStep) }

func (f *Failure) Unwrap() error { return f.Cause }

// Explain joins what happened and what to do now in one line. The next step may be empty.
func Explain(message, nextStep string) string {
	if nextStep == "" {
		return message
	}
	return message + "; " + nextStep
}

// What to do after a failure.
const (
	tryAgain      = "try again"
	askForLess    = "ask for less, or try again"
	checkProvider = "check that the provider URL is a PDPP resource server"

	// checkFirst is the next step after a change without a response. Sent again, the change could be made twice.
	checkFirst = "the change may have been made: check before sending it again"
)

func (e *exchange) failure(reason Reason, message, nextStep string, cause error) *Failure {
	if e.isChange() && reason != Redirected && !failedToDial(cause) {
		nextStep = checkFirst
	}
	return &Failure{
		Reason: reason, Message: message, NextStep: nextStep,
		Status: e.status, RequestID: e.requestID, URL: e.shownURL, Cause: e.client.secrets.redactError(cause),
	}
}

func failedToDial(cause error) bool {
	var operation *net.OpError
	return errors.As(cause, &operation) && operation.Op == "dial"
}

func (e *exchange) unanswered(err error) *Failure {
	if failure := e.timedOut(err); failure != nil {
		return failure
	}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return e.failure(Unreachable, "the certificate of the resource server at "+e.client.providerURL+
			" is not valid or not trusted here, so nothing was sent", "check the provider URL, and ask the server's operator about its certificate", err)
	}
	failure := e.failure(Unreachable, "the resource server at "+e.client.providerURL+" cannot be reached"+Via(e.address),
		"check the provider URL and the network, then try again", err)
	failure.isTransient = isTransientError(err)
	return failure
}

func (e *exchange) unreadable(err error) *Failure {
	if errors.As(err, new(*noTurnError)) {
		return e.failure(Timeout, "the call waited for other calls with large answers until its time ran out", tryAgain, err)
	}
	if failure := e.timedOut(err); failure != nil {
		return failure
	}
	var tooLarge *bodyTooLargeError
	var connection net.Error
	switch {
	case errors.As(err, new(tooMuchHeldError)):
		return e.failure(ResponseTooLarge, err.Error(), "ask for less with a smaller limit, fewer fields or one connection_id", err)
	case errors.As(err, &tooLarge):
		return e.failure(ResponseTooLarge, fmt.Sprintf("the resource server's answer is larger than %d bytes", tooLarge.limit),
			"ask for less with a smaller limit or fewer fields", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return e.failure(InvalidResponse, "the resource server's answer was cut off", tryAgain, err)
	case errors.As(err, &connection):
		return e.failure(Unreachable, "the connection to the resource server broke during its answer", tryAgain, err)
	}
	return e.failure(InvalidResponse, "the resource server's answer cannot be decoded", checkProvider, err)
}

// timedOut returns the failure of a request that timed out or was cancelled, or nil.
func (e *exchange) timedOut(err error) *Failure {
	var timeout net.Error
	switch {
	case e.isStalled.Load():
		return e.failure(Timeout, fmt.Sprintf("the resource server sent nothing for %s", e.client.timeout), tryAgain, err)
	case errors.Is(err, context.Canceled):
		return e.failure(Timeout, "the call was cancelled before the resource server had answered", "", err)
	case e.caller.Err() != nil:
		return e.failure(Timeout, "the time for this call ran out before the resource server had answered", askForLess, err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return e.failure(Timeout, fmt.Sprintf("the resource server did not answer within %s", e.client.timeout), askForLess, err)
	}
	return nil
}
