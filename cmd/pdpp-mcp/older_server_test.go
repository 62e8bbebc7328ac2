package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// R-SCH-1, R-STDIO-3, R-ARG-8: if a resource server refuses the compact view, commands read the schema without it. The
// kind of the token, the schema and the gate of expand still work.
func TestRefusedCompactView(t *testing.T) {
	box := newSandbox(t, resource.ReadsV01)
	inner := box.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/schema" && r.URL.Query().Has("view") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error","code":"invalid_request","message":"unknown ` +
				`parameter","param":"view"}}`))
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for name, test := range map[string]struct {
		command []string
		says    string
		fails   bool // doctor: the metadata describe another address
	}{
		"call":   {[]string{"pdpp-mcp", "call", "schema"}, "message_bodies", false},
		"stdio":  {[]string{"mcp-call", "schema"}, "message_bodies", false},
		"doctor": {[]string{"pdpp-mcp", "doctor"}, "a scoped client token", true},
		"gate of expand": {
			[]string{"mcp-call", "query_records", `stream="message_bodies"`, `expand=["x"]`},
			"invalid_expand", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), test.command[0], test.command[1:]...)
			command.Env = append(os.Environ(), reading(server.URL, box.Tokens()["everything"])...)
			printed, err := command.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(printed), test.says) {
				t.Errorf("ended with %v and printed %s", err, printed)
			}
		})
	}
}
