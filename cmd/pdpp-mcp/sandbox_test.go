package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

func newSandbox(t *testing.T, reads resource.Reads) *sandbox.Sandbox {
	t.Helper()
	return sandboxtest.Open(t, sandbox.Options{PublicURL: "http://sandbox.test", Reads: reads})
}

// origin serves the sandbox on its own address and records the requests.
type origin struct {
	server *httptest.Server
	names  map[string]string // of tokens

	forgot atomic.Bool // it knows no place in a feed of changes any more

	mu   sync.Mutex
	seen []string
}

type originKey struct{}

func newOrigin(box *sandbox.Sandbox) *origin {
	o := &origin{names: make(map[string]string)}
	for name, token := range box.Tokens() {
		o.names["Bearer "+token] = name
	}
	handler := box.Handler()
	o.server = httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		o.note(request)
		if since := request.URL.Query().Get("changes_since"); o.forgot.Load() && since != "" && since != "beginning" {
			response.Header().Set("Content-Type", "application/json")
			response.WriteHeader(http.StatusGone)
			_, _ = io.WriteString(response, `{"error":{"type":"gone_error","code":"cursor_expired","message":"gone"}}`)
			return
		}
		handler.ServeHTTP(response, request)
	}))
	return o
}

func (o *origin) note(request *http.Request) {
	name, known := o.names[request.Header.Get("Authorization")]
	if !known {
		name = "unknown"
	}
	noted := []string{request.Method, request.URL.RequestURI(), name}
	if strings.HasPrefix(request.URL.Path, "/v1/") && request.ContentLength > 0 { // other bodies hold secrets
		body, _ := io.ReadAll(request.Body)
		request.Body = io.NopCloser(bytes.NewReader(body))
		noted = append(noted, string(body))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, strings.Join(noted, " "))
}

// take returns the requests since the last time.
func (o *origin) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := o.seen
	o.seen = nil
	return seen
}

// token returns a token of the sandbox by its name.
func (o *origin) token(t *testing.T, name string) string {
	t.Helper()
	for header, known := range o.names {
		if known == name {
			return strings.TrimPrefix(header, "Bearer ")
		}
	}
	t.Fatalf("the sandbox has no token %s", name)
	return ""
}
