package journey_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/journey"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-BUD-1: every journey, with one token that covers everything, over one session in memory.
func TestJourneysInMemory(t *testing.T) {
	journey.Walk(t, "everything", inMemory)
}

// inMemory serves the generated surface with one bearer.
func inMemory(t *testing.T, provider *journey.Provider, token string) *mcp.ClientSession {
	t.Helper()
	reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: provider.Box.Tokens()[token]})
	if err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context, *mcp.RequestExtra) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	server := host.NewServer(gen.Surface(), host.Options{Name: "pdpp-mcp", Version: "test"}, environment)
	serverSide, clientSide := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), serverSide, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil).Connect(t.Context(), clientSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}
