package main

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
)

// The grant of the captured sign-in, and what to ask for so that it goes as it was captured.
const (
	playedGrant  = "grt_7da0791a00dea728"
	playedSource = "https://registry.pdpp.dev/connectors/spotify"
)

// playedProvider answers a sign-in as a running provider did, for any number of clients, and wants a poll each second.
// The owner has approved by the first one. Around stands before it.
func playedProvider(t *testing.T, played *capturetest.Provider, around func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(around(played))
	address := "http://" + server.Listener.Addr().String()
	played.Replace(capturetest.Issuer, address, capturetest.Resource, address, `"interval": 2`, `"interval": 1`)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func capturedSignIn() *capturetest.Provider {
	return capturetest.New("004", "006", "500", "510", "520", "525", "011")
}

// connecting is the whole command, as a process to start.
func connecting(t *testing.T, provider, root string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), "pdpp-mcp", "connect", provider, "--source", playedSource, "--cache-root", root, "--no-browser")
}

func isPoll(request *http.Request) bool { return path.Base(request.URL.Path) == "token" }
