package host_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/prometheus"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const introspectionSecret = "introspection-secret-that-is-never-printed"

// authorizationServer introspects tokens. Tests set its answers.
type authorizationServer struct {
	*httptest.Server

	mu      sync.Mutex
	answers map[string]string // by token; without one a token is not active
	asked   []string          // tokens
}

func newAuthorizationServer(t testing.TB) *authorizationServer {
	t.Helper()
	as := &authorizationServer{answers: map[string]string{
		bearer: `{"active":true,"pdpp_token_kind":"client","client_id":"cli_1","grant_id":"grt_1"}`,
	}}
	as.Server = httptest.NewServer(as)
	t.Cleanup(as.Close)
	return as
}

func (a *authorizationServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := r.PostFormValue("token")
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == http.MethodPost { // not for the metadata
		a.asked = append(a.asked, token)
	}
	answer, known := a.answers[token]
	if !known {
		answer = `{"active":false}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

func (a *authorizationServer) says(token, answer string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[token] = answer
}

func (a *authorizationServer) seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.asked...)
}

// resourceServer answers every read with {} or a test's answer, and records the requests.
type resourceServer struct {
	*httptest.Server
	answer http.HandlerFunc

	mu   sync.Mutex
	kept []*http.Request
}

func newResourceServer(t testing.TB, answer http.HandlerFunc) *resourceServer {
	t.Helper()
	rs := &resourceServer{answer: answer}
	rs.Server = httptest.NewServer(rs)
	t.Cleanup(rs.Close)
	return rs
}

func (s *resourceServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.kept = append(s.kept, r)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	_, _ = io.WriteString(w, `{}`)
}

func (s *resourceServer) seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.kept...)
}

// hosted is a hosted server with its authorization and resource servers.
type hosted struct {
	*host.Handler
	url     string
	as      *authorizationServer
	rs      *resourceServer
	log     *hosttest.Journal
	metrics *prometheus.Metrics
}

// hostedWith has the changes of a test to the server.
type hostedWith struct {
	options host.HandlerOptions
	surface tool.Surface
	answer  http.HandlerFunc // of the resource server
	audited []string         // accepted audiences
}

func newHosted(t testing.TB, change ...func(*hostedWith)) *hosted {
	t.Helper()
	with := hostedWith{surface: testSurface()}
	for _, apply := range change {
		apply(&with)
	}
	h := &hosted{
		as: newAuthorizationServer(t), rs: newResourceServer(t, with.answer), log: &hosttest.Journal{},
		metrics: prometheus.New(),
	}
	listener := httptest.NewUnstartedServer(nil)
	address := listener.Listener.Addr().String()
	verifier, err := auth.NewVerifier(auth.Options{
		AuthorizationServer: h.as.URL, IntrospectionURL: h.as.URL + "/introspect",
		ClientID: "adapter", ClientSecret: rs.NewSecret(introspectionSecret),
		Audiences: append(with.audited, h.rs.URL), Observe: h.metrics.Authorization,
	})
	if err != nil {
		t.Fatal(err)
	}
	options := with.options
	options.Name, options.Version = "pdpp-mcp", "test"
	options.Logger = slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	options.Verifier, options.AuthorizationServer, options.ProviderURL = verifier, h.as.URL, h.rs.URL
	options.ListenAddress, options.Recorder = address, h.metrics
	if h.Handler, err = host.NewHandler(with.surface, options); err != nil {
		t.Fatal(err)
	}
	listener.Config = host.NewHTTPServer(h.Handler, options.Logger)
	listener.Start()
	t.Cleanup(listener.Close)
	h.url = listener.URL
	return h
}

// request returns one HTTP request to the server, a ping by default.
func (h *hosted) request(t testing.TB, method, path, body string, header ...string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			request.Host = header[i+1]
			continue
		}
		request.Header.Add(header[i], header[i+1])
	}
	return request
}

// answered is a complete response.
type answered struct {
	status int
	header http.Header
	body   string
}

func send(t testing.TB, request *http.Request) answered {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{response.StatusCode, response.Header, string(body)}
}

// post sends a message with a valid bearer.
func (h *hosted) post(t testing.TB, body string, header ...string) answered {
	t.Helper()
	return send(t, h.request(t, http.MethodPost, "/mcp", body,
		append([]string{"Authorization", "Bearer " + bearer}, header...)...))
}

// httpError is the error of a body.
type httpError struct {
	Type             string `json:"type"`
	Code             string `json:"code"`
	Message          string `json:"message"`
	RequestID        string `json:"request_id"`
	ResourceMetadata string `json:"resource_metadata"`
}

func errorOf(t testing.TB, body string) httpError {
	t.Helper()
	var decoded struct {
		Error httpError `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &decoded); err != nil {
		t.Fatalf("%q is no error body: %v", body, err)
	}
	return decoded.Error
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func callOf(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}
