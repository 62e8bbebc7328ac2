// Package respond writes the answers of the sandbox's authorization server: JSON that is not stored,
// errors in the shapes of PDPP and OAuth, and the CORS headers for web pages of other origins.
package respond

import (
	"encoding/json"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/opaque"
)

// JSON writes value with status, and forbids caching because an answer may hold tokens. It ignores errors of the
// connection.
func JSON(w http.ResponseWriter, status int, body any) {
	header := w.Header()
	if header.Get("Request-Id") == "" {
		header.Set("Request-Id", opaque.ID("req_"))
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

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

// Error writes PDPP's error envelope, with the type of the status.
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

// ReusedToken refuses a refresh token whose grant it has ended: the client must ask the owner again.
func ReusedToken(w http.ResponseWriter, description string) {
	JSON(w, http.StatusBadRequest, struct {
		oauthError
		FreshAuthorization bool `json:"fresh_authorization_required"`
	}{oauthError{Error: "invalid_grant", Description: description, RequestID: newRequestID(w)}, true})
}

// newRequestID returns a request id for the body, and sets it in the header.
func newRequestID(w http.ResponseWriter) string {
	id := opaque.ID("req_")
	w.Header().Set("Request-Id", id)
	return id
}

// AnyOrigin lets web pages of every origin call a handler, without cookies, and answers their preflights. It refuses
// every method other than method with 405.
func AnyOrigin(method string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("Access-Control-Expose-Headers", "Request-Id, WWW-Authenticate")
		switch {
		case r.Method == http.MethodOptions:
			header.Set("Access-Control-Allow-Methods", method)
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
			header.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
		case r.Method == method, r.Method == http.MethodHead && method == http.MethodGet:
			next.ServeHTTP(w, r)
		default:
			header.Set("Allow", method+", OPTIONS")
			OAuthError(w, http.StatusMethodNotAllowed, "invalid_request", "Send "+method)
		}
	})
}
