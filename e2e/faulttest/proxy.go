// Package faulttest is a proxy between the adapter and a server that injects the faults of networks, proxies and broken
// servers. Only tests import it.
//
// It works on HTTP, since most of what goes wrong between an adapter and a resource server does: a proxy for bytes
// alone, such as toxiproxy, would leave out every fault of headers and bodies and bring some twenty modules.
package faulttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Fault answers a request in place of the server behind the proxy, which it may ask.
type Fault func(w http.ResponseWriter, r *http.Request, server http.Handler)

// Plan chooses the fault, if any, that a request meets.
type Plan struct {
	Fault  Fault
	Times  int    // 0: until Heal
	Bearer string // of the requests that meet it; empty for all
}

// Request is a request that came to the proxy.
type Request struct {
	Method, URI string
	Bearer      string
	Faulty      bool // it met a fault
}

// Proxy listens on a loopback address, keeps it reserved while it is stopped, and forwards requests that meet no fault.
// It is safe for concurrent use.
type Proxy struct {
	URL string // its origin

	t       testing.TB
	address string
	server  http.Handler
	secured *certificates // nil without TLS

	mu      sync.Mutex
	plan    Plan
	left    int // of plan.Times
	seen    []Request
	running *http.Server
	ended   chan struct{} // closed when running has ended
}

// New returns a proxy with its own address. Connections are refused until Serve.
func New(t testing.TB) *Proxy {
	t.Helper()
	address, release, err := reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	p := &Proxy{t: t, address: address, URL: "http://" + address}
	t.Cleanup(func() { p.Stop(0) })
	return p
}

// Serve starts to forward requests to a server.
func (p *Proxy) Serve(server http.Handler) {
	p.server = server
	p.Start()
}

// Start listens again after Stop, on the same address.
func (p *Proxy) Start() {
	p.t.Helper()
	// The test's context ends before its clean-up, and a proxy may outlive neither.
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	running := &http.Server{Handler: http.HandlerFunc(p.answer), ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	serve := func() error { return running.Serve(listener) }
	if p.secured != nil {
		running.TLSConfig = p.secured.config()
		running.ErrorLog = discarded // handshakes that fail are what tests are about
		serve = func() error { return running.ServeTLS(listener, "", "") }
	}
	p.mu.Lock()
	p.running, p.ended = running, ended
	p.mu.Unlock()
	go func() {
		defer close(ended)
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			p.t.Errorf("the proxy ended: %v", err)
		}
	}()
}

// Stop refuses new connections. Running requests have the grace to end; then their connections are closed.
func (p *Proxy) Stop(grace time.Duration) {
	p.mu.Lock()
	running, ended := p.running, p.ended
	p.running = nil
	p.mu.Unlock()
	if running == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if running.Shutdown(ctx) != nil {
		_ = running.Close() // the grace period is over; connections may be closed already
	}
	<-ended
}

// Inject sets the fault that requests meet from now on.
func (p *Proxy) Inject(plan Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan, p.left = plan, plan.Times
}

// Heal ends the fault.
func (p *Proxy) Heal() { p.Inject(Plan{}) }

// Take returns the requests since the last call.
func (p *Proxy) Take() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := slices.Clone(p.seen)
	p.seen = nil
	return seen
}

// keep records a request, up to a bound.
func (p *Proxy) keep(request Request) {
	const most = 10_000
	if len(p.seen) < most {
		p.seen = append(p.seen, request)
	}
}

func (p *Proxy) answer(w http.ResponseWriter, r *http.Request) {
	fault := p.take(r)
	if fault == nil {
		p.server.ServeHTTP(w, r)
		return
	}
	// Package http finds out that a client has gone only after it has read the request to its end.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	fault(w, r, p.server)
}

// take records a request and returns the fault that it meets, or nil.
func (p *Proxy) take(r *http.Request) Fault {
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	defer p.mu.Unlock()
	fault := p.plan.Fault
	if p.plan.Bearer != "" && p.plan.Bearer != bearer || p.plan.Times > 0 && p.left == 0 {
		fault = nil
	}
	if fault != nil {
		p.left--
	}
	p.keep(Request{Method: r.Method, URI: r.URL.RequestURI(), Bearer: bearer, Faulty: fault != nil})
	return fault
}
