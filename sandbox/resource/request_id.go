package resource

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
)

type requestIDKey struct{}

// identified gives every request an id, which the answer's Request-Id header and error body carry, and
// every answer the protocol's version.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := newRequestID()
		w.Header().Set("Request-Id", id)
		w.Header().Set("PDPP-Version", Version)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

func newRequestID() string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails (crypto/rand)
	return "req_" + hex.EncodeToString(random[:])
}

func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey{}).(string)
	return id
}
