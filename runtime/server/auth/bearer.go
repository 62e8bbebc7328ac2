package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const tokenAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/"

// Bearer returns the access token in a request's Authorization header (RFC 6750, section 2.1). Tokens in queries and
// forms are ignored. Its error is a *Refusal.
func Bearer(header http.Header) (string, error) {
	sent := header.Values("Authorization")
	if len(sent) == 0 {
		return "", missingBearer
	}
	if len(sent) > 1 {
		return "", badToken("The request has more than one Authorization header. Send exactly one.")
	}
	scheme, token, _ := strings.Cut(strings.Trim(sent[0], " \t"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", missingBearer // RFC 6750, section 3.1
	}
	token = strings.TrimLeft(token, " ")
	if !isToken(token) {
		return "", badToken("The Authorization header has no well-formed bearer token. Send the access token as it was issued.")
	}
	if len(token) < rs.ShortestBearer { // it could be an ordinary word, which cannot be redacted from a response (R-ERR-6)
		return "", badToken(fmt.Sprintf(
			"The access token is shorter than %d characters and could be guessed. Send the access token as it was issued.", rs.ShortestBearer))
	}
	return token, nil
}

// isToken reports whether a text is a b64token (RFC 6750, section 2.1) within rs.LongestBearer bytes.
func isToken(text string) bool {
	body := strings.TrimRight(text, "=")
	return body != "" && len(text) <= rs.LongestBearer && strings.Trim(body, tokenAlphabet) == ""
}

// Values of the challenge's error parameter (RFC 6750, section 3.1).
const (
	invalidToken      = "invalid_token"
	insufficientScope = "insufficient_scope"
)

// Refusal is the error of Bearer and Verify. Neither it nor its causes hold a token. Requests share it, so it must not
// be modified.
type Refusal struct {
	Status    int    // 401, 403 or 503
	Code      string // in the body
	Message   string // for the client: what is wrong and what to do
	Challenge string // the error parameter of WWW-Authenticate; may be empty

	cause error // for the operator's log; may be nil
}

// errorTypes are the types in the body, by status.
var errorTypes = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error", http.StatusServiceUnavailable: "api_error",
}

// Error returns a text for logs, with the cause. Clients get the Message.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%d %s: %s", r.Status, r.Code, r.Message)
	if r.cause != nil {
		text += ": " + r.cause.Error()
	}
	return text
}

func (r *Refusal) Unwrap() error { return r.cause }

var missingBearer = &Refusal{
	Status: http.StatusUnauthorized, Code: CodeAuthentication,
	Message: "This server needs a bearer token in the Authorization header. Read error.resource_metadata to find out where to sign in.",
}

func badToken(message string) *Refusal {
	return &Refusal{Status: http.StatusUnauthorized, Code: CodeAuthentication, Message: message, Challenge: invalidToken}
}

// forbidden refuses a valid token that is for something else.
func forbidden(message string) *Refusal {
	return &Refusal{Status: http.StatusForbidden, Code: CodePermission, Message: message, Challenge: insufficientScope}
}

var revokedPackage = &Refusal{
	Status: http.StatusForbidden, Code: CodePackageRevoked,
	Message: "No source of this grant package is active any more. Sign in again and approve the sources to read.",
}

var unsupportedPackage = &Refusal{
	Status: http.StatusServiceUnavailable, Code: CodeUnsupported,
	Message: "The authorization server does not publish the members of this grant package (package.members), so this server cannot read with it. Its operator can set --source, so that each sign-in asks for one source.",
}

// unavailable refuses a token that cannot be confirmed (R-HOST-4).
func unavailable(cause error) *Refusal {
	message := "The authorization server cannot confirm this token now. Try again in a few seconds."
	if errors.Is(cause, errBusy) {
		message = "Too many tokens are being confirmed at once. Try again in a few seconds."
	}
	return &Refusal{Status: http.StatusServiceUnavailable, Code: CodeUnavailable, Message: message, cause: cause}
}
