package main

import (
	"fmt"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
)

// newOrigin returns a handler of the sandbox and of the hosted adapter on one origin. The adapter reads the sandbox
// over HTTP, so the sandbox's address must be served.
func newOrigin(box *sandbox.Sandbox) (http.Handler, error) {
	caller := box.Authorization().Caller()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: box.PublicURL(),
		IntrospectionURL:    box.PublicURL() + authorization.IntrospectionPath,
		ClientID:            caller.ID,
		ClientSecret:        rs.NewSecret(caller.Secret),
		Audiences:           []string{box.PublicURL(), box.PublicURL() + auth.MCPPath},
	})
	if err != nil {
		return nil, fmt.Errorf("configure authentication: %w", err)
	}
	adapter, err := host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options:             host.Options{Name: "pdpp-sandbox", Version: "sandbox", Options: toolcall.Options{MaxReads: tool.DefaultReadOn}},
		Verifier:            verifier,
		AuthorizationServer: box.PublicURL(),
		ProviderURL:         box.PublicURL(),
		PublicURL:           box.PublicURL(),
	})
	if err != nil {
		return nil, fmt.Errorf("configure the hosted adapter: %w", err)
	}
	mux := http.NewServeMux()
	for _, path := range host.Paths() {
		mux.Handle(path, adapter)
	}
	mux.Handle("/", box.Handler())
	return mux, nil
}
