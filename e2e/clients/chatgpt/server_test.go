package chatgpt_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// server is a hosted server with its provider.
type server struct {
	provider *journey.Provider
	endpoint string
}

func newServer(t *testing.T) *server {
	t.Helper()
	provider := journey.NewProvider(t, resource.ReadsV01)
	return &server{provider, hosttest.ServeHosted(t, gen.Surface(), provider.Upstream(), hosttest.Patient)}
}

// session opens a new session.
func (s *server) session(t *testing.T) *mcp.ClientSession {
	t.Helper()
	return hosttest.ConnectHosted(t, s.endpoint, s.provider.Box.Tokens()["everything"])
}

// call calls a tool in a new session. The call must succeed.
func (s *server) call(t *testing.T, name string, arguments map[string]any) *mcp.CallToolResult {
	t.Helper()
	result, err := s.session(t).CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if result.IsError {
		t.Fatalf("%s %v failed: %s", name, arguments, textOf(t, result))
	}
	return result
}
