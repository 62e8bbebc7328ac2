package rs_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Ahead receives the probable cursor of a body, and is not called without one.
func TestAheadReceivesCursor(t *testing.T) {
	row := `{"id":"1","data":{"text":"` + strings.Repeat("a", 9_000) + `"}}`
	for body, want := range map[string]string{
		`{"data":[` + row + `],"has_more":true,"next_cursor":"p2","object":"list"}`: "p2",
		`{"next_cursor":"p3","data":[` + row + `]}`:                                 "p3",
		`{"data":[` + row + `],"next_cursor":"p\u0034"}`:                            "",
		`{"data":[{"text":"\"next_cursor\":\"p5\""}]}`:                              "",
		`{"data":[` + row + `],"next_cursor":null}`:                                 "",
		`{"data":[` + row + `],"next_cursor":""}`:                                   "",
		`{}`:                           "",
		``:                             "",
		`{"data":[],"next_cursor":"p6`: "",
		`{"data":[],"next_cursor":"p7","next_cursor":"p8"}`:  "p8", // the answer itself is refused
		`{"data":[],"next_cursor":"opaque-token-of-a-test"}`: "[redacted]",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		client, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("opaque-token-of-a-test")})
		if err != nil {
			t.Fatal(err)
		}
		received := ""
		_, _ = client.Get(t.Context(), rs.Request{Path: "/v1/streams/s/records", Ahead: func(cursor string) { received = cursor }})
		server.Close()
		if received != want {
			t.Errorf("%.40s… %s: received %q, want %q", body, body[max(0, len(body)-40):], received, want)
		}
	}
}
