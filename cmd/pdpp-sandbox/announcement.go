package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/ownfile"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
)

// readiness is the content of the ready file, for scripts and tests.
type readiness struct {
	URL                       string            `json:"url"`
	CredentialFile            string            `json:"credential_file"`
	Tokens                    map[string]string `json:"tokens"`
	IntrospectionURL          string            `json:"introspection_url"`
	IntrospectionClientID     string            `json:"introspection_client_id"`
	IntrospectionClientSecret string            `json:"introspection_client_secret"`
}

// announce writes the ready file, if one was asked for, and prints the address and the next steps. Tokens appear only
// in the ready file, and on stdout with --print-tokens.
func announce(stdout io.Writer, settings settings, box *sandbox.Sandbox, credentialFile string) error {
	caller := box.Authorization().Caller()
	if settings.secretFile != "" {
		if err := ownfile.Replace(settings.secretFile, ".pdpp-sandbox-*", 0o600, []byte(caller.Secret+"\n")); err != nil {
			return &unusableError{"introspection-secret-file", err}
		}
	}
	if settings.readyFile != "" {
		content, err := json.MarshalIndent(readiness{
			URL: box.PublicURL(), CredentialFile: credentialFile, Tokens: box.Tokens(),
			IntrospectionURL:      box.PublicURL() + authorization.IntrospectionPath,
			IntrospectionClientID: caller.ID, IntrospectionClientSecret: caller.Secret,
		}, "", "  ")
		if err != nil {
			return fmt.Errorf("encode the ready file: %w", err)
		}
		if err := ownfile.Replace(settings.readyFile, ".pdpp-sandbox-*", 0o600, append(content, '\n')); err != nil {
			return &unusableError{"ready-file", err}
		}
	}

	var text strings.Builder
	fmt.Fprintf(&text, "listening on %s\n", box.PublicURL())
	fmt.Fprintf(&text, "credential written to %s\n", credentialFile)
	fmt.Fprintf(&text, "hosted MCP with sign-in at %s/mcp, for people at %s/dashboard/connect\n", box.PublicURL(), box.PublicURL())
	if settings.demo == "" { // the demonstration prints whole lines to paste
		fmt.Fprintf(&text, "next: pdpp-mcp stdio --provider-url %s --cache-root %s\n", box.PublicURL(), settings.cacheRoot)
	}
	if settings.printTokens {
		tokens := box.Tokens()
		for _, name := range slices.Sorted(maps.Keys(tokens)) {
			fmt.Fprintf(&text, "token %s=%s\n", name, tokens[name])
		}
		fmt.Fprintf(&text, "introspection client_id=%s client_secret=%s\n", caller.ID, caller.Secret)
	}
	if _, err := io.WriteString(stdout, text.String()); err != nil {
		return fmt.Errorf("print that the sandbox is ready: %w", err)
	}
	return nil
}
