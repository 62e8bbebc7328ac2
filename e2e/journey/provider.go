// Package journey has tests of what a model must be able to do with only one part of each result (R-BUD-1). They run
// over any transport. Only tests import it.
package journey

import (
	"net/http"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// Provider is a sandbox with a listener, and the requests of its resource server.
type Provider struct {
	URL string
	Box *sandbox.Sandbox

	reads resource.Reads

	mu   sync.Mutex
	seen []*Request
}

// Request is a request to the resource server, and its status.
type Request struct {
	Method string
	URI    string
	Bearer string // the name of a ready token, package/connection for a member of a package, otherwise empty
	Status int
}

// NewProvider starts a sandbox with the given reads, until the test ends.
func NewProvider(t *testing.T, reads resource.Reads) *Provider {
	t.Helper()
	provider := &Provider{reads: reads}
	provider.Box, provider.URL = sandboxtest.Serve(t, sandbox.Options{Seed: 1, Reads: reads}, provider.recording)
	return provider
}

func (p *Provider) recording(box *sandbox.Sandbox) http.Handler {
	next, names := box.Handler(), map[string]string{}
	for name, token := range box.Tokens() {
		names["Bearer "+token] = name
		for _, member := range box.Authorization().Members(name) {
			names["Bearer "+member.AccessToken] = name + "/" + member.ConnectionID
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := &Request{r.Method, r.URL.RequestURI(), names[r.Header.Get("Authorization")], http.StatusOK}
		p.mu.Lock()
		p.seen = append(p.seen, request)
		p.mu.Unlock()
		next.ServeHTTP(&statusWriter{w, p, request}, r)
	})
}

// Upstream returns the provider for a hosted server.
func (p *Provider) Upstream() hosttest.Upstream {
	caller := p.Box.Authorization().Caller()
	return hosttest.Upstream{
		URL: p.URL, IntrospectionURL: p.URL + authorization.IntrospectionPath, ClientID: caller.ID, Secret: caller.Secret,
	}
}

// Take returns the requests since the last call, in order.
func (p *Provider) Take() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := make([]Request, len(p.seen))
	for i, request := range p.seen {
		seen[i] = *request
	}
	p.seen = nil
	return seen
}

// statusWriter records the status of an answer before the client can see it.
type statusWriter struct {
	http.ResponseWriter
	provider *Provider
	request  *Request
}

func (w *statusWriter) WriteHeader(status int) {
	w.provider.mu.Lock()
	w.request.Status = status
	w.provider.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}
