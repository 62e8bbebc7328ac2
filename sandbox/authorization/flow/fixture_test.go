package flow_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
	"github.com/pdppmcp/pdpp-mcp/sandbox/sample"
)

const issuer = "http://sandbox.example"

// inProcess is a network without sockets, so that a test's time may stand still.
type inProcess struct{ handler http.Handler }

func (n inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	received := r.Clone(r.Context())
	received.Host = r.URL.Host
	if received.Body == nil {
		received.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	n.handler.ServeHTTP(recorder, received)
	response := recorder.Result()
	response.Request = r
	return response, nil
}

// fixture is an authorization server with a clock that the test moves, and everyone around it.
type fixture struct {
	*testing.T
	server  *authorization.Server
	network inProcess
	owner   *flowtest.Owner
	ctx     context.Context // with the client that x/oauth2 uses
	ahead   time.Duration   // of the real time
}

func newFixture(t *testing.T, options ...authorization.Option) *fixture {
	t.Helper()
	f := &fixture{T: t}
	clock := authorization.WithClock(func() time.Time { return time.Now().Add(f.ahead) })
	f.server = authorization.New(issuer, sample.Shared(), append(options, clock)...)
	f.network = inProcess{f.server.Handler()}
	f.owner = flowtest.New(f.network)
	f.ctx = context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: f.network})
	return f
}

// advance moves the server's clock.
func (f *fixture) advance(by time.Duration) { f.ahead += by }

func (f *fixture) register() *oauth2.Config {
	f.Helper()
	config, err := flowtest.Register(f.ctx, f.network, issuer, "Tester")
	if err != nil {
		f.Fatal(err)
	}
	return config
}

// answer is a JSON answer of any endpoint.
type answer struct {
	status int
	header http.Header
	body   map[string]json.RawMessage
}

// text returns a member that is a string, empty if it is not.
func (a answer) text(name string) string {
	var value string
	_ = json.Unmarshal(a.body[name], &value)
	return value
}

// code returns the error of an OAuth answer or of PDPP's envelope.
func (a answer) code() string {
	var envelope struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(a.body["error"], &envelope) == nil {
		return envelope.Code
	}
	return a.text("error")
}

func (f *fixture) post(path, contentType, body string) answer {
	f.Helper()
	request, err := http.NewRequestWithContext(f.ctx, http.MethodPost, issuer+path, strings.NewReader(body))
	if err != nil {
		f.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	if path == "/introspect" {
		request.SetBasicAuth(f.server.Caller().ID, f.server.Caller().Secret)
	}
	return f.send(request)
}

func (f *fixture) postForm(path string, pairs ...string) answer {
	f.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return f.post(path, "application/x-www-form-urlencoded", form.Encode())
}

func (f *fixture) postJSON(path, body string) answer {
	f.Helper()
	return f.post(path, "application/json", body)
}

func (f *fixture) send(request *http.Request) answer {
	f.Helper()
	response, err := f.network.RoundTrip(request)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		f.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header}
	if err := json.Unmarshal(raw, &a.body); err != nil {
		f.Fatalf("%s answered %d %s", request.URL.Path, response.StatusCode, raw)
	}
	return a
}

func (f *fixture) active(token string) bool {
	f.Helper()
	return string(f.postForm("/introspect", "token", token).body["active"]) == "true"
}

// code signs in as far as the authorization code.
func (f *fixture) code(config *oauth2.Config, verifier string, connectionIDs ...string) string {
	f.Helper()
	if len(connectionIDs) == 0 {
		connectionIDs = []string{"cin_spotify"}
	}
	page, err := f.owner.Approve(f.ctx, config.AuthCodeURL("s", oauth2.S256ChallengeOption(verifier)), connectionIDs...)
	if err != nil || page.Location == nil {
		f.Fatalf("approve: %v: %d %s", err, page.Status, page.Body)
	}
	return page.Location.Query().Get("code")
}

func (f *fixture) signIn(config *oauth2.Config) *oauth2.Token {
	f.Helper()
	verifier := oauth2.GenerateVerifier()
	token, err := config.Exchange(f.ctx, f.code(config, verifier), oauth2.VerifierOption(verifier))
	if err != nil {
		f.Fatal(err)
	}
	return token
}
