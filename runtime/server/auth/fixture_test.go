package auth_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
)

const (
	bearer       = "planted-bearer-0a1b2c3d4e5f"
	memberBearer = "planted-member-9f8e7d6c5b4a"
	clientSecret = "planted secret:+/%ä" // needs the encoding of RFC 6749
	resource     = "https://pdpp.example.com"
)

var start = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// clock is set by the test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// At moves the clock to a time after the start.
func (c *clock) At(since time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = start.Add(since)
}

// question is a request that the authorization server saw.
type question struct {
	Method   string
	Target   string // path and query
	Header   http.Header
	Form     url.Values
	ID       string // of Basic, decoded
	Secret   string
	HadBasic bool
}

// authority is an authorization server that answers introspection as the test says, and its metadata.
type authority struct {
	*httptest.Server
	mu           sync.Mutex
	introspected []question
	discovered   []question
	introspect   http.HandlerFunc
	metadata     http.HandlerFunc
}

func newAuthority(t *testing.T, introspect http.HandlerFunc) *authority {
	t.Helper()
	a := &authority{introspect: introspect}
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(a.Close)
	a.metadata = answer(`{"issuer":"` + a.URL + `","introspection_endpoint":"` + a.URL + `/introspect"}`)
	return a
}

func (a *authority) serve(w http.ResponseWriter, r *http.Request) {
	asked := question{Method: r.Method, Target: r.URL.RequestURI(), Header: r.Header.Clone()}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		asked.Form, _ = url.ParseQuery(string(text))
	}
	id, secret, had := r.BasicAuth()
	asked.HadBasic = had
	asked.ID, _ = url.QueryUnescape(id)
	asked.Secret, _ = url.QueryUnescape(secret)

	a.mu.Lock()
	handler := a.metadata
	if r.URL.Path == "/introspect" {
		a.introspected, handler = append(a.introspected, asked), a.introspect
	} else {
		a.discovered = append(a.discovered, asked)
	}
	a.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(text))
	handler(w, r)
}

// Set changes later answers to introspections.
func (a *authority) Set(introspect http.HandlerFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.introspect = introspect
}

// SetMetadata changes later answers to requests for the metadata.
func (a *authority) SetMetadata(metadata http.HandlerFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.metadata = metadata
}

func (a *authority) Introspected() []question {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.introspected
}

func (a *authority) Discovered() []question {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.discovered
}

// answer is a handler of one JSON text.
func answer(text string) http.HandlerFunc {
	return typed("application/json; charset=utf-8", http.StatusOK, text)
}

func typed(media string, status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// verifier makes a Verifier that asks as at its introspection URL, and its clock.
func verifier(t *testing.T, as *authority, change ...func(*auth.Options)) (*auth.Verifier, *clock) {
	t.Helper()
	at := &clock{now: start}
	options := auth.Options{
		AuthorizationServer: as.URL,
		IntrospectionURL:    as.URL + "/introspect",
		ClientID:            "adapter:one",
		ClientSecret:        rs.NewSecret(clientSecret),
		Audiences:           []string{resource, resource + "/mcp"},
		Clock:               at.Now,
	}
	for _, apply := range change {
		apply(&options)
	}
	made, err := auth.NewVerifier(options)
	if err != nil {
		t.Fatal(err)
	}
	return made, at
}

func admitted(t *testing.T, v *auth.Verifier, token string) *auth.Caller {
	t.Helper()
	caller, err := v.Verify(t.Context(), token)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return caller
}

func refused(t *testing.T, v *auth.Verifier, token string) *auth.Refusal {
	t.Helper()
	caller, err := v.Verify(t.Context(), token)
	return asRefusal(t, caller, err)
}

func asRefusal(t *testing.T, caller *auth.Caller, err error) *auth.Refusal {
	t.Helper()
	var refusal *auth.Refusal
	if caller != nil || !errors.As(err, &refusal) {
		t.Fatalf("got %+v and %v, want an *auth.Refusal", caller, err)
	}
	return refusal
}

// expect compares the public parts of a refusal.
func expect(t *testing.T, got *auth.Refusal, status int, code, challenge string) {
	t.Helper()
	if got.Status != status || got.Code != code || got.Challenge != challenge {
		t.Errorf("got %d %s error=%q (%v); want %d %s error=%q", got.Status, got.Code, got.Challenge, got,
			status, code, challenge)
	}
	wantType := map[int]string{401: "authentication_error", 403: "permission_error", 503: "api_error"}[status]
	answered := httptest.NewRecorder()
	auth.Challenge{}.Write(answered, got)
	if !strings.Contains(answered.Body.String(), `{"error":{"type":"`+wantType+`","code":"`+code+`"`) {
		t.Errorf("the body is %s, want the type %q", answered.Body, wantType)
	}
	if wait := answered.Header().Get("Retry-After"); (wait == "5") != (status == 503) {
		t.Errorf("retry after %q with status %d", wait, status)
	}
}
