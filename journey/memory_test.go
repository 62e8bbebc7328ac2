package journey_test

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/journey"
	"github.com/pdppmcp/pdpp-mcp/runtime/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// R-BUD-1: every journey, with one token that covers everything, over one session in memory.
func TestJourneysInMemory(t *testing.T) {
	journey.Walk(t, "everything", inMemory)
}

// R-PKG-2, R-PKG-5, R-PKG-7: every journey with a token that stands for a grant of each connection.
func TestJourneysOfAPackageInMemory(t *testing.T) {
	journey.Walk(t, "package", packageInMemory)
}

// packageInMemory reads with the members of a package, as a hosted server does.
func packageInMemory(t *testing.T, provider *journey.Provider, token string) *mcp.ClientSession {
	t.Helper()
	var sources []fanout.Source
	for _, member := range provider.Box.Authorization().Members(token) {
		reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: member.AccessToken})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, fanout.Source{
			GrantID: member.GrantID, Active: true, ConnectionID: member.ConnectionID, ConnectorKey: member.ConnectorKey,
			DisplayName: member.DisplayName, Streams: member.Streams, Reader: reader,
		})
	}
	// The race detector slows the sandbox down far beyond what a source may usually take.
	return serve(t, fanout.New(sources, fanout.Options{ProviderURL: provider.URL, ChildTimeout: time.Minute}))
}

// inMemory reads with one bearer.
func inMemory(t *testing.T, provider *journey.Provider, token string) *mcp.ClientSession {
	t.Helper()
	reader, err := rs.NewClient(rs.Options{BaseURL: provider.URL, Bearer: provider.Box.Tokens()[token]})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, reader)
}

// serve serves the generated surface over a session in memory.
func serve(t *testing.T, reader rs.Reader) *mcp.ClientSession {
	t.Helper()
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
