package hosted_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
)

// R-BUD-1, R-HOST-1: every journey, with one token that covers everything.
func TestJourneysOfAClientToken(t *testing.T) {
	journey.Walk(t, "everything", overHTTP)
}

// R-PKG-2, R-PKG-5, R-PKG-7: every journey with a token that stands for a grant of each connection.
func TestJourneysOfAPackageToken(t *testing.T) {
	journey.Walk(t, "package", overHTTP)
}

// overHTTP reads through a hosted server.
func overHTTP(t *testing.T, provider *journey.Provider, token string) *mcp.ClientSession {
	t.Helper()
	endpoint := hosttest.ServeHosted(t, gen.Surface(), provider.Upstream(), hosttest.Patient)
	return hosttest.ConnectHosted(t, endpoint, provider.Box.Tokens()[token])
}
