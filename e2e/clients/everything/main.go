//go:build conformance

// Command everything is the conformance server of the Go SDK behind the HTTP stack of pdpp-mcp: its hosts and origins,
// its authentication and its limits, before every fixture that the conformance suite asks for. The fixtures are
// compiled from the SDK's own source, at the version of go.mod; conformance_test.go adds them to this folder as an
// overlay.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fixtures returns the tools, resources and prompts that the suite looks for.
func fixtures() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "everything", Version: "test"}, &mcp.ServerOptions{
		CompletionHandler: completionHandler, SubscribeHandler: subscribeHandler, UnsubscribeHandler: unsubscribeHandler,
	})
	registerTools(server)
	registerResources(server)
	registerPrompts(server)
	go watchedResourceUpdater(context.Background(), server)
	return server
}

func serve() error {
	settings := readSettings()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: settings.provider, IntrospectionURL: settings.introspection,
		ClientID: settings.clientID, ClientSecret: rs.NewSecret(settings.clientSecret), Audiences: []string{settings.provider},
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", settings.listen)
	if err != nil {
		return err
	}
	server, transport := fixtures(), host.TransportOptions()
	// Fixtures report their progress, and before revision 2026-07-28 they ask the client, which takes a session.
	transport.JSONResponse, transport.Stateless = false, settings.stateless
	handler, err := host.NewHandler(tool.Surface{}, host.HandlerOptions{
		Options:  host.Options{Name: "everything", Version: "test"},
		Verifier: verifier, AuthorizationServer: settings.provider, ProviderURL: settings.provider, ListenAddress: listener.Addr().String(),
		Limits:   host.Limits{PerSecond: 1000, Burst: 1000, Concurrent: 100}, // the suite asks faster than a model
		Endpoint: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, transport),
	})
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+settings.bearer)
		handler.ServeHTTP(w, r)
	}))
}
