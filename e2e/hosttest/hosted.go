package hosttest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Upstream is the provider of a hosted server: authorization and resource server on one origin.
type Upstream struct {
	URL              string
	IntrospectionURL string
	ClientID, Secret string // of introspection
}

// ServeHosted serves a surface over HTTP until the test ends, and returns the URL of its endpoint.
func ServeHosted(t testing.TB, surface tool.Surface, behind Upstream, change ...func(*host.HandlerOptions)) string {
	t.Helper()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: behind.URL, IntrospectionURL: behind.IntrospectionURL,
		ClientID: behind.ClientID, ClientSecret: rs.NewSecret(behind.Secret), Audiences: []string{behind.URL},
		Timeout: time.Minute, // the race detector slows down the sandbox
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewUnstartedServer(nil)
	options := host.HandlerOptions{
		Options:  Options,
		Verifier: verifier, AuthorizationServer: behind.URL, ProviderURL: behind.URL,
		ListenAddress: listener.Listener.Addr().String(),
		Limits:        host.Limits{PerSecond: 1e6, Burst: 1e6}, // a test asks faster than a model
	}
	for _, apply := range change {
		apply(&options)
	}
	handler, err := host.NewHandler(surface, options)
	if err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = handler
	listener.Start()
	t.Cleanup(listener.Close)
	return listener.URL + auth.MCPPath
}

// Patient returns deadlines far longer than the usual ones, because the race detector slows down the sandbox.
func Patient(options *host.HandlerOptions) {
	options.RSTimeout, options.ChildTimeout, options.Timeout = time.Minute, time.Minute, time.Minute
}

// WithBearer sends every request with a token.
type WithBearer struct{ Token string }

// RoundTrip implements http.RoundTripper.
func (b WithBearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.Token)
	return http.DefaultTransport.RoundTrip(request)
}

// ConnectHosted opens a session of the SDK's client with a token. It ends with the test.
func ConnectHosted(t testing.TB, endpoint, token string, change ...func(*mcp.ClientOptions)) *mcp.ClientSession {
	t.Helper()
	options := &mcp.ClientOptions{}
	for _, apply := range change {
		apply(options)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, options)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: WithBearer{token}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// Journal is a log that can be read while it is written. The zero value is ready to use.
type Journal struct {
	mu   sync.Mutex
	text bytes.Buffer
	came *sync.Cond // something was written; nil before the first wait
}

// Write implements io.Writer.
func (j *Journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.came != nil {
		j.came.Broadcast()
	}
	return j.text.Write(line)
}

// Await waits until the log holds some words.
func (j *Journal) Await(words string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.came == nil {
		j.came = sync.NewCond(&j.mu)
	}
	for !bytes.Contains(j.text.Bytes(), []byte(words)) {
		j.came.Wait()
	}
}

// String returns the text so far.
func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
