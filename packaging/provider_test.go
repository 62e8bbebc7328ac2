package packaging_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// provider is a sandbox on its own address. Tests match its reads by their request ids.
type provider struct {
	*sandbox.Sandbox
	url  string
	read atomic.Pointer[func(requestID string)] // called before each read is answered

	reads, introspections atomic.Int64 // that came
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	p.Sandbox, p.url = sandboxtest.Serve(t, sandbox.Options{}, func(box *sandbox.Sandbox) http.Handler {
		handler := box.Handler()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/v1/") {
				p.reads.Add(1)
				if read := p.read.Load(); read != nil {
					(*read)(r.Header.Get("Request-Id"))
				}
			}
			if strings.HasSuffix(r.URL.Path, "/introspect") {
				p.introspections.Add(1)
			}
			handler.ServeHTTP(w, r)
		})
	})
	return p
}
