package soak_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/faulttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/prometheus"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
)

// provider is a sandbox whose resource server and authorization server have an address each, and the hosted adapter
// before them.
type provider struct {
	box    *sandbox.Sandbox
	rs, as *faulttest.Proxy
	url    string // of the adapter
	client *http.Client
	idle   func()       // closes every connection that is not in use
	ahead  atomic.Int64 // nanoseconds that every clock is before the real time
	tries  tries
}

func (p *provider) now() time.Time { return time.Now().Add(time.Duration(p.ahead.Load())) }

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{rs: faulttest.New(t), as: faulttest.New(t)}
	box, err := sandbox.New(t.Context(), sandbox.Options{
		PublicURL: p.as.URL, Seed: 1, Authorization: []authorization.Option{authorization.WithClock(p.now)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.box = box
	t.Cleanup(func() {
		p.rs.Stop(time.Second)
		p.as.Stop(time.Second)
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	p.rs.Serve(box.Handler())
	p.as.Serve(box.Handler())
	p.serve(t)
	return p
}

// tries counts the reads that an adapter may have sent again: no answer came, or one of those that pass.
type tries struct {
	toolcall.Recorder
	failed atomic.Int64
}

func (t *tries) Read(status int, elapsed time.Duration) {
	switch status {
	case 0, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		t.failed.Add(1)
	}
	t.Recorder.Read(status, elapsed)
}

// within is every deadline of the adapter. On a busy machine the sandbox may take its time; deadlines are tested
// elsewhere.
const within = 20 * time.Second

// serve starts the adapter with limits so wide that they refuse nothing; limits are tested elsewhere.
func (p *provider) serve(t *testing.T) {
	t.Helper()
	metrics := prometheus.New()
	p.tries.Recorder = metrics
	toResource, toAuthority := rs.NewTransport(), rs.NewTransport()
	caller := p.box.Authorization().Caller()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: p.as.URL, ClientID: caller.ID, ClientSecret: rs.NewSecret(caller.Secret),
		Audiences: []string{p.as.URL}, Transport: toAuthority, Timeout: within, Clock: p.now, Observe: metrics.Authorization,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	handler, err := host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options:             host.Options{Name: "pdpp-mcp", Version: "soak", Options: toolcall.Options{Recorder: &p.tries}},
		Verifier:            verifier,
		AuthorizationServer: p.as.URL, ProviderURL: p.as.URL, ResourceURL: p.rs.URL,
		ListenAddress: server.Listener.Addr().String(),
		Transport:     toResource,
		RSTimeout:     within, ChildTimeout: within,
		Limits: host.Limits{Concurrent: 1000, PerSecond: 1e6, Burst: 1e6},
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config = host.NewHTTPServer(handler, slog.New(slog.DiscardHandler))
	server.Start()
	p.url = server.URL
	p.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	p.idle = func() {
		p.client.CloseIdleConnections()
		toResource.CloseIdleConnections()
		toAuthority.CloseIdleConnections()
	}
	t.Cleanup(func() {
		p.idle()
		server.Close()
	})
}
