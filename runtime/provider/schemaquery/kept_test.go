package schemaquery_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

// server counts the requests that it answers with one schema.
type server struct {
	body string
	sent []string
}

func (s *server) get(_ context.Context, request rs.Request) (*rs.Response, error) {
	s.sent = append(s.sent, request.Query.Encoded())
	return rs.Response{Status: 200}.WithBody([]byte(s.body))
}

// R-CLAIM-4: what describes a search costs one read of the schema a minute. The schema that a caller asks for is never
// an old one.
func TestKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := "notes"
		kept, sandbox := new(schemaquery.Kept), &server{body: `{"connectors":[]}`}
		ask := func(ctx context.Context, scope schemadoc.Scope) {
			t.Helper()
			response, err := kept.Get(ctx, schemaquery.Request(scope, false), sandbox.get)
			if err != nil || string(response.Body()) != sandbox.body {
				t.Fatal(response, err)
			}
		}
		recent := schemaquery.Recent(t.Context())
		expect := func(want ...string) {
			t.Helper()
			if got := strings.Join(sandbox.sent, " "); got != strings.Join(want, " ") {
				t.Errorf("sent %q, want %q", got, want)
			}
			sandbox.sent = nil
		}
		ask(recent, schemadoc.Scope{Stream: &stream})
		ask(recent, schemadoc.Scope{})
		expect("view=compact")
		ask(t.Context(), schemadoc.Scope{})
		ask(t.Context(), schemadoc.Scope{Stream: &stream})
		expect("view=compact", "view=compact&stream=notes")
		time.Sleep(time.Minute)
		ask(recent, schemadoc.Scope{})
		expect("view=compact")

		sandbox.body = `{"connectors":[],"meta":"` + strings.Repeat("x", 40_000) + `"}` // too large to be kept
		ask(t.Context(), schemadoc.Scope{})
		ask(recent, schemadoc.Scope{Stream: &stream})
		expect("view=compact", "view=compact&stream=notes")
	})
}
