// Package hosted_test holds the hosted server to its promises from end to end: clients over HTTP, packages of
// grants, and the servers behind them, all at addresses of their own.
package hosted_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
)

// upstream is the provider that a hosted server stands before: authorization and resource server on one origin.
type upstream struct {
	url              string
	introspectionURL string
	clientID, secret string // of introspection
}

// sandboxed is the upstream that a sandbox is.
func sandboxed(provider *journey.Provider) upstream {
	caller := provider.Box.Authorization().Caller()
	return upstream{provider.URL, provider.URL + authorization.IntrospectionPath, caller.ID, caller.Secret}
}

// serve starts the hosted server with the generated surface, and gives the URL of its endpoint. It ends with the
// test.
func serve(t *testing.T, behind upstream, change ...func(*host.HandlerOptions)) string {
	t.Helper()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: behind.url, IntrospectionURL: behind.introspectionURL,
		ClientID: behind.clientID, ClientSecret: rs.NewSecret(behind.secret), Audiences: []string{behind.url},
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewUnstartedServer(nil)
	options := host.HandlerOptions{
		Options:  host.Options{Name: "pdpp-mcp", Version: "test"},
		Verifier: verifier, AuthorizationServer: behind.url, ProviderURL: behind.url,
		ListenAddress: listener.Listener.Addr().String(),
		Limits:        host.Limits{PerSecond: 1e6, Burst: 1e6}, // a test asks faster than a model
	}
	for _, apply := range change {
		apply(&options)
	}
	handler, err := host.NewHandler(gen.Surface(), options)
	if err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = handler
	listener.Start()
	t.Cleanup(listener.Close)
	return listener.URL + auth.MCPPath
}

// withBearer sends every request with a token.
type withBearer struct{ token string }

func (b withBearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(request)
}

// connect opens a session of the SDK's client with a token. It ends with the test.
func connect(t *testing.T, endpoint, token string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: withBearer{token}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}
