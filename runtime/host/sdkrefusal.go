package host

import (
	"net/http"
	"strings"
)

// refusalWriter gives the SDK's own refusals, which are lines of plain text, the form of every other refusal of
// this server: a client finds code and request id in the same place, whoever has refused.
type refusalWriter struct {
	http.ResponseWriter
	requestID string
	status    int // of a refusal whose text is still to come, else 0
}

// refusalCharacters bounds the text that the SDK gives, in bytes. Parts of it can be the client's.
const refusalCharacters = 300

// WriteHeader keeps the status of a refusal back until its text comes.
func (w *refusalWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes the whole refusal. The SDK gives its text at once.
func (w *refusalWriter) Write(text []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(text)
	}
	refused := &problem{
		status: w.status, kind: "invalid_request_error", code: refusalCode(w.status),
		message: strings.ToValidUTF8(strings.TrimSpace(string(text[:min(len(text), refusalCharacters)])), ""),
	}
	if w.status >= http.StatusInternalServerError {
		refused.kind = "api_error"
	}
	w.status = 0
	refused.write(w.ResponseWriter, w.requestID)
	return len(text), nil
}

// Unwrap gives the writer that knows the connection.
func (w *refusalWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func refusalCode(status int) string {
	switch status {
	case http.StatusNotFound:
		return CodeNotFound
	case http.StatusMethodNotAllowed:
		return CodeMethodNotAllowed
	case http.StatusRequestEntityTooLarge:
		return CodeRequestTooLarge
	case http.StatusUnsupportedMediaType:
		return CodeUnsupportedMediaType
	case http.StatusInternalServerError:
		return CodeInternal
	}
	return CodeInvalidRequest
}
