package main

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/capturetest"
)

// The grant of the captured sign-in, and the source that it asked for.
const (
	playedGrant  = "grt_7da0791a00dea728"
	playedSource = "https://registry.pdpp.dev/connectors/spotify"
)

// playedProvider serves a captured sign-in to any number of clients, with a poll interval of one second. The owner has
// approved before the first poll. Around wraps its handler.
func playedProvider(t *testing.T, played *capturetest.Provider,
	around func(http.Handler) http.Handler,
) *httptest.Server {
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

// patience limits each read of a resource server to a minute, because test machines are busy.
const patience = "--rs-timeout=1m"

// connecting returns the connect command as a process to start.
func connecting(t *testing.T, provider, root string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), "pdpp-mcp", "connect", provider, "--source", playedSource, "--cache-root",
		root, "--no-browser", patience)
}

func isPoll(request *http.Request) bool { return path.Base(request.URL.Path) == "token" }
