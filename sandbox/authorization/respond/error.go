package respond

import (
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
)

type envelope struct {
	Error envelopeDetail `json:"error"`
}

type envelopeDetail struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
}

// errorTypes are PDPP's types by status; what is not here is an api_error.
var errorTypes = map[int]string{
	http.StatusBadRequest:   "invalid_request_error",
	http.StatusUnauthorized: "authentication_error",
	http.StatusForbidden:    "permission_error",
	http.StatusNotFound:     "not_found_error",
	http.StatusGone:         "gone_error",
}

// Error writes PDPP's error envelope. Its type follows from the status.
func Error(w http.ResponseWriter, status int, code, message string) {
	kind, known := errorTypes[status]
	if !known {
		kind = "api_error"
	}
	JSON(w, status, envelope{envelopeDetail{Code: code, Message: message, Type: kind, RequestID: newRequestID(w)}})
}

type oauthError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
	RequestID   string `json:"request_id"`
}

// OAuthError writes an error of RFC 6749, section 5.2.
func OAuthError(w http.ResponseWriter, status int, code, description string) {
	JSON(w, status, oauthError{Error: code, Description: description, RequestID: newRequestID(w)})
}

// newRequestID says in the header what the body repeats.
func newRequestID(w http.ResponseWriter) string {
	id := opaque.ID("req_")
	w.Header().Set("Request-Id", id)
	return id
}
