package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// R-HAND-8: an operator's list notes that the provider has more rows than it sent, in every format.
func TestAListThatGoesOnSaysSo(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/schema" {
			_, _ = w.Write([]byte(`{"object":"schema","bearer":{"token_kind":"client"},"connectors":[]}`))
			return
		}
		_, _ = w.Write([]byte(`{"object":"list","data":[{"name":"a"},{"name":"b"}],"has_more":true,"next_cursor":"2"}`))
	}))
	t.Cleanup(server.Close)
	for _, format := range []string{"table", "text", "json"} {
		command := exec.CommandContext(t.Context(), "pdpp-mcp", "streams", "--format", format)
		command.Env = append(os.Environ(), "PDPP_ACCESS_TOKEN=scoped-token-of-a-test", "PDPP_PROVIDER_URL="+server.URL)
		var problems strings.Builder
		command.Stderr = &problems
		if out, err := command.Output(); err != nil || len(out) == 0 || problems.String() != "the provider has more than these 2 rows\n" {
			t.Errorf("%s: ended with %v and said %q", format, err, problems.String())
		}
	}
}
