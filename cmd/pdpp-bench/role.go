package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

// The roles that this program plays. Each runs in a separate process, so that its garbage collection does not slow
// another.
const (
	roleVariable   = "PDPP_BENCH_ROLE"
	targetVariable = "PDPP_BENCH_TARGET" // of the proxy and of the relay
	providerRole   = "provider"
	proxyRole      = "proxy"
	relayRole      = "relay"
)

// play plays a role until it is killed or its input ends, and returns the exit code. A role that serves HTTP prints its
// address first.
func play(role string) int {
	if role == relayRole {
		if err := relay(os.Stdin, os.Stdout, os.Getenv(targetVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	handler := newProvider()
	if role == proxyRole {
		target, err := url.Parse(os.Getenv(targetVariable))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		handler = newProxy(target)
	}
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("http://%s\n", listener.Addr())
	fmt.Fprintln(os.Stderr, http.Serve(listener, handler))
	return 1
}

// newProxy returns a bare reverse proxy that keeps all its connections. With net/http's default of two idle connections
// it would dial for nearly every request.
func newProxy(target *url.URL) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 256, 256
	return &httputil.ReverseProxy{
		Rewrite:   func(request *httputil.ProxyRequest) { request.SetURL(target) },
		Transport: transport,
	}
}
