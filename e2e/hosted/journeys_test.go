// Package hosted_test tests the hosted server from end to end: clients over HTTP, packages of grants, and the servers
// behind them, each at its own address.
package hosted_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/gen"
)

// R-BUD-1, R-HOST-1: every journey, with one token that covers everything.
func TestJourneysOfAClientToken(t *testing.T) {
	timetest.WithoutRace(t)
	journey.Walk(t, "everything", overHTTP, journey.Channels)
}

// R-PKG-2, R-PKG-5, R-PKG-7: every journey with a package token that has a grant for each connection.
func TestJourneysOfAPackageToken(t *testing.T) {
	journey.Walk(t, "package", overHTTP, journey.Channels[:timetest.Draws(len(journey.Channels))])
}

// overHTTP opens a session with a hosted server.
func overHTTP(t *testing.T, provider *journey.Provider, token string) *mcp.ClientSession {
	t.Helper()
	endpoint := hosttest.ServeHosted(t, gen.Surface(), provider.Upstream(), hosttest.Patient)
	return hosttest.ConnectHosted(t, endpoint, provider.Box.Tokens()[token])
}

// call calls a tool, and does not check the result.
func call(ctx context.Context, t *testing.T, session *mcp.ClientSession, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return result
}
