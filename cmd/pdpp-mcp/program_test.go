package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// someToken is for providers that do not check tokens.
const someToken = "scoped-token-of-a-test"

// reading returns the variables by which a command reads a provider with a token.
func reading(provider, token string) []string {
	return []string{"PDPP_PROVIDER_URL=" + provider, "PDPP_ACCESS_TOKEN=" + token}
}

// runProgram runs pdpp-mcp with additional variables. It returns the output, the messages on stderr, and the exit code.
func runProgram(t *testing.T, variables []string, words ...string) (out, stderr string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "pdpp-mcp", words...)
	command.Env = append(os.Environ(), variables...)
	var printed, problems strings.Builder
	command.Stdout, command.Stderr = &printed, &problems
	_ = command.Run() // the caller checks the exit code
	return printed.String(), problems.String(), command.ProcessState.ExitCode()
}

// clientSchema is the schema of a client token without streams.
const clientSchema = `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[]}`

// cannedProvider serves clientSchema and other JSON answers, and returns its address.
func cannedProvider(t *testing.T, answer http.HandlerFunc) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/v1/schema" {
			_, _ = io.WriteString(w, clientSchema)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
