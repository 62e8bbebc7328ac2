package authorization

import (
	"encoding/json"
	"net/http"
)

type errorBody struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
}

func writeError(w http.ResponseWriter, status int, kind, code, message string) {
	id := "req_" + randomToken()[:16]
	w.Header().Set("Request-Id", id)
	writeJSON(w, status, errorBody{errorDetail{Code: code, Message: message, Type: kind, RequestID: id}})
}

// writeJSON forbids storing: an answer may hold tokens. A client that hung up gets nothing.
func writeJSON(w http.ResponseWriter, status int, body any) {
	if w.Header().Get("Request-Id") == "" {
		w.Header().Set("Request-Id", "req_"+randomToken()[:16])
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
