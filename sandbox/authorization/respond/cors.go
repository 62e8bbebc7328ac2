package respond

import "net/http"

// AnyOrigin lets web pages of every origin call a handler, and answers their preflights. Cookies are never
// part of such a call. Any other method than method is refused with 405.
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
