package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// runOwner replaces the browser. The variable OWNER has the owner's decision on the page: "approve <connection> …", "deny", or
// nothing for none. It writes the page's address to the file OPENED.
func runOwner() int {
	page := os.Args[1]
	if name := os.Getenv("OPENED"); name != "" {
		if err := os.WriteFile(name, []byte(page+"\n"), 0o600); err != nil {
			return 1
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var err error
	switch words := strings.Fields(os.Getenv("OWNER")); {
	case len(words) == 0:
	case words[0] == "approve":
		_, err = flowtest.New(nil).Approve(ctx, page, words[1:]...)
	case words[0] == "deny":
		_, err = flowtest.New(nil).Deny(ctx, page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// newProvider serves a sandbox that knows its own address, as a sign-in needs it.
func newProvider(t testing.TB) *httptest.Server {
	t.Helper()
	server, _ := newProviderAndBox(t, 0)
	return server
}

// newProviderAndBox is newProvider with a seed for the sample data. It also returns the sandbox, for its tokens.
func newProviderAndBox(t testing.TB, seed uint64) (*httptest.Server, *sandbox.Sandbox) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	box, err := sandbox.New(t.Context(), sandbox.Options{PublicURL: "http://" + server.Listener.Addr().String(), Seed: seed, Reads: resource.ReadsOpen}) // the pages ask with filters, and the owner chooses
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = http.HandlerFunc(box.Handler().ServeHTTP)
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return server, box
}
