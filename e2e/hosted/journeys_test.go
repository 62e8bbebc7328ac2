package hosted_test

import (
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
)

// R-BUD-1, R-HOST-1: every journey, with one token that covers everything.
func TestJourneysOfAClientToken(t *testing.T) {
	journey.Walk(t, "everything", overHTTP)
}

// R-PKG-2, R-PKG-5, R-PKG-7: every journey with a token that stands for a grant of each connection.
func TestJourneysOfAPackageToken(t *testing.T) {
	journey.Walk(t, "package", overHTTP)
}

// overHTTP reads through a hosted server. Its deadlines are far beyond what one source may usually take, since
// the race detector slows the sandbox down.
func overHTTP(t *testing.T, provider *journey.Provider, token string) *mcp.ClientSession {
	t.Helper()
	endpoint := serve(t, sandboxed(provider), func(options *host.HandlerOptions) {
		options.RSTimeout, options.ChildTimeout, options.CallTimeout = time.Minute, time.Minute, time.Minute
	})
	return connect(t, endpoint, provider.Box.Tokens()[token])
}
