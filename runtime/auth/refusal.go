package auth

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Error codes of the body, as the table in interfaces.md has them.
const (
	CodeAuthentication = "authentication_error"      // 401: no bearer, or one that does not hold
	CodePermission     = "permission_error"          // 403: a bearer of the wrong kind or for another audience
	CodePackageRevoked = "package_revoked"           // 403: a package without an active member
	CodeUnavailable    = "authorization_unavailable" // 503: the authorization server gives no usable answer
	CodeUnsupported    = "package_unsupported"       // 503: the authorization server publishes no members
)

// Values of the challenge's error parameter (RFC 6750, section 3.1).
const (
	invalidToken      = "invalid_token"
	insufficientScope = "insufficient_scope"
)

// retryAfter is what a 503 asks a client to wait. It is as long as a negative answer is kept.
const retryAfter = negativeLifetime

// Refusal is the one error of Bearer and Verify. It holds no token: neither its text nor the text of its
// causes does. It is shared between requests and must not be changed.
type Refusal struct {
	Status  int    // 401, 403 or 503
	Type    string // the body's type, which follows the status
	Code    string // the body's code
	Message string // for the client: what is wrong and what to do

	// Challenge is the error parameter of WWW-Authenticate; empty when none is due.
	Challenge string

	// RetryAfter is set with 503, in whole seconds.
	RetryAfter time.Duration

	cause error // for the log of the one who operates the server; may be nil
}

// Error has the cause in it, so it is for logs. A client gets the Message.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Message)
	if r.cause != nil {
		text += ": " + r.cause.Error()
	}
	return text
}

// Unwrap gives the cause.
func (r *Refusal) Unwrap() error { return r.cause }

var missingBearer = &Refusal{
	Status: http.StatusUnauthorized, Type: "authentication_error", Code: CodeAuthentication,
	Message: "This server needs a bearer token in the Authorization header. Read error.resource_metadata to find out where to sign in.",
}

// badToken refuses a token that was sent but does not hold.
func badToken(message string) *Refusal {
	return &Refusal{
		Status: http.StatusUnauthorized, Type: "authentication_error", Code: CodeAuthentication,
		Message: message, Challenge: invalidToken,
	}
}

// forbidden refuses a token that holds, but not here.
func forbidden(message string) *Refusal {
	return &Refusal{
		Status: http.StatusForbidden, Type: "permission_error", Code: CodePermission,
		Message: message, Challenge: insufficientScope,
	}
}

var revokedPackage = &Refusal{
	Status: http.StatusForbidden, Type: "permission_error", Code: CodePackageRevoked,
	Message: "No source of this grant package is active any more. Sign in again and approve the sources to read.",
}

var unsupportedPackage = &Refusal{
	Status: http.StatusServiceUnavailable, Type: "api_error", Code: CodeUnsupported, RetryAfter: retryAfter,
	Message: "The authorization server does not publish the members of this grant package (package.members), so that nothing can be read with it. Sign in with a single source instead.",
}

// unavailable fails closed (R-HOST-4).
func unavailable(cause error) *Refusal {
	message := "The authorization server cannot confirm this token now. Try again in a few seconds."
	if errors.Is(cause, errBusy) {
		message = "Too many tokens are being confirmed at once, so this one was not asked about. Try again in a few seconds."
	}
	return &Refusal{
		Status: http.StatusServiceUnavailable, Type: "api_error", Code: CodeUnavailable, RetryAfter: retryAfter,
		Message: message, cause: cause,
	}
}
