package rs

import "net/http"

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
		return "invalid_request"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found"
	case http.StatusConflict:
		return "conflict"
	case http.StatusGone:
		return "gone"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusUnprocessableEntity:
		return "unprocessable"
	case http.StatusTooManyRequests:
		return "rate_limit_exceeded"
	}
	return "api_error"
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
