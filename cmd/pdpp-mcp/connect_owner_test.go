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
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/flow"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// runOwner replaces the browser. The variable OWNER has the owner's decision on the page: "approve <connection> …",
// "deny", or nothing for none. It writes the page's address to the file OPENED.
func runOwner() int {
	page := os.Args[1]
	if name := os.Getenv("OPENED"); name != "" {
		if err := os.WriteFile(name, []byte(page+"\n"), 0o600); err != nil {
			return 1
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	var decided flowtest.Page
	owner := flowtest.New(nil)
	switch words := strings.Fields(os.Getenv("OWNER")); {
	case len(words) == 0:
	case words[0] == "approve":
		decided, err = owner.Approve(ctx, page, words[1:]...)
	case words[0] == "deny":
		decided, err = owner.Deny(ctx, page)
	}
	if err == nil && decided.Location != nil { // back to the program that listens on this machine
		_, err = owner.Open(ctx, decided.Location.String())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// newProvider serves a sandbox that knows its own address, as a sign-in needs it.
func newProvider(t testing.TB) (url string) {
	t.Helper()
	_, url = newProviderAndBox(t, 0)
	return url
}

// newProviderAndBox is newProvider with a seed for the sample data. It also returns the sandbox, for its tokens.
func newProviderAndBox(t testing.TB, seed uint64) (box *sandbox.Sandbox, url string) {
	t.Helper()
	return sandboxtest.Serve(t, sandbox.Options{ // the pages ask with filters, and the owner chooses
		Seed: seed, Reads: resource.ReadsOpen, Authorization: []authorization.Option{authorization.WithAnyChoice(true)},
	})
}

// newStrictProvider serves a sandbox of PDPP v0.1: a request names its connections, where the owner has several. It
// reads the metadata documents of clients.
func newStrictProvider(t testing.TB) (url string) {
	t.Helper()
	_, url = sandboxtest.Serve(t, sandbox.Options{
		Reads: resource.ReadsV01, Authorization: []authorization.Option{authorization.WithDocuments(flow.DocumentsAnywhere)},
	})
	return url
}

// newDocument serves a client's metadata document and returns its address.
func newDocument(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id":"http://%s%s","client_name":"Documented","redirect_uris":["http://127.0.0.1/callback"]}`,
			r.Host, r.URL.Path)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/client.json"
}
