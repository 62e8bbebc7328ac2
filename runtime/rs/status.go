package rs

import "net/http"

// Codes of refusals that came without one. A resource server may send the same ones, and others.
const (
	CodeInvalidRequest  = "invalid_request"      // 400
	CodeAuthentication  = "authentication_error" // 401
	CodePermission      = "permission_error"     // 403
	CodeNotFound        = "not_found"            // 404
	CodeConflict        = "conflict"             // 409
	CodeGone            = "gone"                 // 410
	CodeRequestTooLarge = "request_too_large"    // 413
	CodeUnprocessable   = "unprocessable"        // 422
	CodeRateLimit       = "rate_limit_exceeded"  // 429
	CodeOther           = "api_error"            // any other status
)

// typeOfStatus is the error type that goes with a status (rs-contract.md, Envelopes).
func typeOfStatus(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusGone:
		return "gone_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	}
	return "api_error"
}

// codeOfStatus is the code of a refusal that came without one.
func codeOfStatus(status int) string {
	switch status {
	case http.StatusBadRequest:
		return CodeInvalidRequest
	case http.StatusUnauthorized:
		return CodeAuthentication
	case http.StatusForbidden:
		return CodePermission
	case http.StatusNotFound:
		return CodeNotFound
	case http.StatusConflict:
		return CodeConflict
	case http.StatusGone:
		return CodeGone
	case http.StatusRequestEntityTooLarge:
		return CodeRequestTooLarge
	case http.StatusUnprocessableEntity:
		return CodeUnprocessable
	case http.StatusTooManyRequests:
		return CodeRateLimit
	}
	return CodeOther
}

// nextStep is what to do about a refusal that gave no advice of its own.
func nextStep(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "connect again to get a new credential"
	case status == http.StatusForbidden:
		return "the grant does not cover this; its owner can approve a broader one"
	case status == http.StatusNotFound:
		return "check the names with schema, and that the provider URL is a PDPP resource server"
	case status == http.StatusTooManyRequests:
		return "wait, then try again"
	case status >= http.StatusInternalServerError:
		return "try again later"
	}
	return "change the arguments; schema shows what is supported"
}
