package chatgpt_test

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
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// server is a hosted server before a provider of its own.
type server struct {
	provider *journey.Provider
	endpoint string
}

func newServer(t *testing.T) *server {
	t.Helper()
	provider := journey.NewProvider(t, resource.ReadsV01)
	caller := provider.Box.Authorization().Caller()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: provider.URL, IntrospectionURL: provider.URL + authorization.IntrospectionPath,
		ClientID: caller.ID, ClientSecret: rs.NewSecret(caller.Secret), Audiences: []string{provider.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewUnstartedServer(nil)
	handler, err := host.NewHandler(gen.Surface(), host.HandlerOptions{
		Options:  host.Options{Name: "pdpp-mcp", Version: "test"},
		Verifier: verifier, AuthorizationServer: provider.URL, ProviderURL: provider.URL,
		ListenAddress: listening.Listener.Addr().String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	listening.Config.Handler = handler
	listening.Start()
	t.Cleanup(listening.Close)
	return &server{provider, listening.URL + auth.MCPPath}
}

// withBearer sends every request with a token.
type withBearer struct{ token string }

func (b withBearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(request)
}

// session is a new one.
func (s *server) session(t *testing.T) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.endpoint, HTTPClient: &http.Client{Transport: withBearer{s.provider.Box.Tokens()["everything"]}},
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool, which must not fail, in a session of its own.
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
