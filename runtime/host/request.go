package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
)

// hostedRequest is what this server knows of one HTTP request. It belongs to that request alone, and is
// not changed once the request has come to the SDK (R-HOST-5).
type hostedRequest struct {
	id          string // Request-Id of the answer and of every log line
	origin      string // that the client sees
	traceParent string // to pass on; empty when there is none

	caller *auth.Caller // nil before authentication
	bearer auth.Secret  // the caller's own
}

type hostedRequestKey struct{}

// requestOf gives what is known of the request in a context of this package.
func requestOf(ctx context.Context) *hostedRequest {
	request, ok := ctx.Value(hostedRequestKey{}).(*hostedRequest)
	if !ok {
		return &hostedRequest{}
	}
	return request
}

func withRequest(r *http.Request, known *hostedRequest) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), hostedRequestKey{}, known))
}

var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9_.-]{8,64}$`)

// requestID takes the id that a proxy or a client gave, if it can stand in a log, and else makes one.
func requestID(header http.Header) string {
	for _, name := range []string{"Request-Id", "X-Request-Id"} {
		sent := header.Values(name)
		// An id is logged, so a part of the bearer cannot be one.
		if len(sent) == 1 && wellFormedID.MatchString(sent[0]) && !strings.Contains(header.Get("Authorization"), sent[0]) {
			return sent[0]
		}
	}
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // it never fails: it ends the program instead
	return "req_" + hex.EncodeToString(bits[:])
}
