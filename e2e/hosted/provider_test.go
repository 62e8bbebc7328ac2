package hosted_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization"
)

// member is one grant of a package, and how the resource server answers its bearer.
type member struct {
	name   string
	status string // of introspection; empty is active
	hits   int    // of every search

	// answers replaces the resource server's answer; nil for hits. request counts from 1.
	answers func(request int, w http.ResponseWriter, r *http.Request)
}

func (m member) connectionID() string { return "cin_" + m.name }

func (m member) displayName() string { return "The " + m.name }

// provider is an authorization and resource server on one origin, with a package of grants. The part of a token after
// the last dot distinguishes the package's tokens; each has different bearers.
type provider struct {
	*httptest.Server
	members []member

	mu       sync.Mutex
	requests map[string]int // by the name of the member
	bearers  []string       // of all reads
}

// introspectionSecret authenticates the hosted server at the provider.
const introspectionSecret = "introspection-secret"

func newProvider(t *testing.T, members ...member) *provider {
	t.Helper()
	p := &provider{members: members, requests: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+authorization.IntrospectionPath, p.introspect)
	mux.HandleFunc("GET /v1/", p.read)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) upstream() hosttest.Upstream {
	return hosttest.Upstream{
		URL: p.URL, IntrospectionURL: p.URL + authorization.IntrospectionPath, ClientID: "adapter",
		Secret: introspectionSecret,
	}
}

// session opens a session with a new hosted server, which is patient, and one of the tokens of the package.
func (p *provider) session(t *testing.T, name string, change ...func(*host.HandlerOptions)) *mcp.ClientSession {
	t.Helper()
	changes := append([]func(*host.HandlerOptions){hosttest.Patient}, change...)
	return hosttest.ConnectHosted(t, hosttest.ServeHosted(t, gen.Surface(), p.upstream(), changes...), packageToken(name))
}

// packageToken returns the token of the package with a name, which may be any word.
func packageToken(name string) string { return packagePrefix + name }

// Bearers are as long as real ones, because shorter ones are refused.
const (
	packagePrefix = "token-of-a-package."
	memberMiddle  = ".of-this-package."
)

// introspect publishes the package to the confidential caller (docs/provider-contract.md, Introspection and packages).
func (p *provider) introspect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, secret, _ := r.BasicAuth()
	name, isPackage := strings.CutPrefix(r.PostFormValue("token"), packagePrefix)
	if secret != introspectionSecret || !isPackage {
		_, _ = io.WriteString(w, `{"active":false}`)
		return
	}
	type published struct {
		GrantID      string   `json:"grant_id"`
		Status       string   `json:"status"`
		ConnectionID string   `json:"connection_id"`
		ConnectorKey string   `json:"connector_key"`
		DisplayName  string   `json:"display_name"`
		Streams      []string `json:"streams"`
		AccessToken  string   `json:"access_token,omitempty"`
	}
	var answer struct {
		Active  bool   `json:"active"`
		Kind    string `json:"pdpp_token_kind"`
		Package struct {
			ID      string      `json:"package_id"`
			Members []published `json:"members"`
		} `json:"package"`
	}
	answer.Active, answer.Kind, answer.Package.ID = true, "mcp_package", "gpkg_1"
	for _, m := range p.members {
		each := published{
			GrantID: "grt_" + m.name, Status: m.status, ConnectionID: m.connectionID(), ConnectorKey: "gmail",
			DisplayName: m.displayName(), Streams: []string{"messages"},
		}
		if m.status == "" {
			each.Status, each.AccessToken = "active", m.name+memberMiddle+name
		}
		answer.Package.Members = append(answer.Package.Members, each)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// read answers a read; the bearer alone determines the answer.
func (p *provider) read(w http.ResponseWriter, r *http.Request) {
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	name, _, _ := strings.Cut(bearer, ".")
	at := slices.IndexFunc(p.members, func(m member) bool { return m.name == name && m.status == "" })
	p.mu.Lock()
	p.bearers = append(p.bearers, bearer)
	p.requests[name]++
	request := p.requests[name]
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case at < 0:
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w,
			`{"error":{"type":"authentication_error","code":"authentication_error","message":"unknown bearer"}}`)
	case p.members[at].answers != nil:
		p.members[at].answers(request, w, r)
	default:
		p.members[at].answer(w, r)
	}
}

// answer serves the hits and the schema of one source, with cursors that only this source understands.
func (m member) answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/schema" {
		_, _ = fmt.Fprintf(w,
			`{"object":"schema","detail":"compact","bearer":{"token_kind":"client"},"connector_count":1,"stream_count":1,
			"connectors":[{"object":"connector","connector_key":"gmail","connector_id":"gmail","stream_count":1,
			"granted_connections":[{"connection_id":%q,"display_name":%q}],
			"streams":[{"name":"messages","primary_key":["id"],"field_capabilities":{"subject":"t=string,lex"},"expand_capabilities":[]}]}],
			"meta":{"count":{"kind":"none"},"warnings":[]}}`, m.connectionID(), m.displayName())
		return
	}
	query := r.URL.Query()
	from := 0
	if cursor := query.Get("cursor"); cursor != "" {
		if _, err := fmt.Sscanf(cursor, m.name+"@%d", &from); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w,
				`{"error":{"type":"invalid_request_error","code":"invalid_cursor","message":"Cursor is malformed"}}`)
			return
		}
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		limit = 25
	}
	to := min(m.hits, from+limit)
	rows := []string{}
	for i := from; i < to; i++ {
		rows = append(rows,
			fmt.Sprintf(`{"object":"search_result","stream":"messages","record_key":"m%d","connector_id":"gmail",
			"connection_id":%q,"display_name":%q,"snippet":{"field":"subject","text":"note %d"},
			"score":{"kind":"bm25","order":"lower_is_better","value":-1}}`, i, m.connectionID(), m.displayName(), i))
	}
	next := ""
	if to < m.hits {
		next = fmt.Sprintf(`"next_cursor":"%s@%d",`, m.name, to)
	}
	_, _ = fmt.Fprintf(w,
		`{"object":"list","url":"/v1/search",%s"has_more":%t,"data":[%s],"meta":{"count":{"kind":"none"},"warnings":[]}}`,
		next, to < m.hits, strings.Join(rows, ","))
}

// take returns the bearers of the reads since the last call.
func (p *provider) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	bearers := p.bearers
	p.bearers = nil
	return bearers
}

// hangs never answers.
func hangs(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// refuses answers that the grant was revoked, although introspection still had it as active.
func refuses(_ int, w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w,
		`{"error":{"type":"permission_error","code":"grant_revoked","message":"The grant was revoked"}}`)
}

// answersHTML answers with a web page, as a proxy in front of a resource server may do.
func answersHTML(_ int, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<!doctype html><title>Please wait</title>")
}

// asked returns how often a source was read.
func (p *provider) asked(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[name]
}
