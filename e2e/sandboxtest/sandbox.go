// Package sandboxtest opens sandboxes for tests, which end with the test that opened them.
package sandboxtest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// Open makes a sandbox that is served nowhere.
func Open(t testing.TB, options sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	box, err := sandbox.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

// Serve serves a sandbox on this machine and returns its address, which is its public URL too unless the options have
// another. A test that watches the requests passes a handler that replaces the sandbox's.
func Serve(t testing.TB, options sandbox.Options,
	watching ...func(*sandbox.Sandbox) http.Handler,
) (box *sandbox.Sandbox, url string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	url = "http://" + server.Listener.Addr().String()
	if options.PublicURL == "" {
		options.PublicURL = url
	}
	box = Open(t, options)
	server.Config.Handler = box.Handler()
	for _, handler := range watching {
		server.Config.Handler = handler(box)
	}
	server.Start()
	t.Cleanup(server.Close)
	return box, url
}

// FreeAddress returns a loopback address on which nothing listens, for a program that takes its address as a flag.
func FreeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
