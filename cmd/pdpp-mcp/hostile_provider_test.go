package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
)

// A provider's text cannot control the terminal in any format: U+009B begins an escape sequence like ESC [, and U+202E
// reverses the direction of writing.
func TestAProviderCannotCommandTheTerminal(t *testing.T) {
	const odd = "a\u009b31mb\u202ec\x7fd\u200b\ufeff\u2028\u2029\u00ad\U000e0041"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch request.URL.Path {
		case "/v1/schema":
			_, _ = io.WriteString(w, `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[]}`)
		case "/v1/streams":
			_, _ = io.WriteString(w, `{"object":"list","data":[{"name":"`+odd+`","`+odd+`":"\u001b[31m"}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"code":"not_found","message":"`+odd+`\u001b[31m"}}`)
		}
	}))
	t.Cleanup(server.Close)
	for _, arguments := range [][]string{
		{"streams", "--format", "table"},
		{"streams", "--format", "text"},
		{"streams", "--format", "json"},
		{"subscriptions", "show", "sub_1"},
		{"blob", "b", "-o", "-"},
	} {
		command := exec.CommandContext(t.Context(), "pdpp-mcp", append(arguments, "--provider-url", server.URL)...)
		command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN=scoped-token-of-a-test")
		printed, _ := command.CombinedOutput() // some commands fail
		if len(printed) == 0 || obeyedByTerminals.Match(printed) {
			t.Errorf("%v prints %q", arguments, printed)
		}
	}
}
