package membership_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/membership"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// server is a resource server with grants over connections of mail. It records the requests.
type server struct {
	*httptest.Server

	mu     sync.Mutex
	grants map[string][]string // connections by bearer
	kinds  map[string]string   // of bearers that are not clients'
	ended  map[string]string   // codes of bearers whose grants have ended
	seen   []string            // bearer, path and query
}

func newServer(t *testing.T, grants map[string][]string) *server {
	t.Helper()
	s := &server{grants: grants, kinds: map[string]string{}, ended: map[string]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, bearer+" "+r.URL.RequestURI())
	w.Header().Set("Content-Type", "application/json")
	if code := s.ended[bearer]; code != "" {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"error":{"type":"permission_error","code":%q,"message":"ended, with %s"}}`, code, bearer)
		return
	}
	kind := "client"
	if other := s.kinds[bearer]; other != "" {
		kind = other
	}
	switch r.URL.Path {
	case "/v1/schema":
		var connections []string
		for _, id := range s.grants[bearer] {
			connections = append(connections, fmt.Sprintf(`{"connection_id":%q,"display_name":"The %s"}`, id, id))
		}
		fmt.Fprintf(w,
			`{"object":"schema","detail":"compact","bearer":{"token_kind":%q},"connectors":[{"connector_key":"gmail",`+
				`"streams":[{"name":"messages"}],"granted_connections":[%s]}]}`, kind, strings.Join(connections, ","))
	case "/v1/search":
		id := r.URL.Query().Get("connection_id")
		if id == "" {
			id = s.grants[bearer][0]
		}
		fmt.Fprintf(w, `{"object":"list","has_more":false,"data":[{"stream":"messages","record_key":"1",`+
			`"connection_id":%q}],"meta":{}}`, id)
	default:
		fmt.Fprintf(w, `{"object":"list","has_more":false,"data":[],"meta":{}}`)
	}
}

// asked returns and clears the recorded requests.
func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	slices.Sort(seen)
	return seen
}

func (s *server) end(bearer, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended[bearer] = code
}

// bearerOf returns the bearer of a grant.
func bearerOf(name string) string { return name + "-bearer-of-a-test" }

func add(t *testing.T, cache *credential.Cache, provider, name string, change ...func(*credential.Entry)) {
	t.Helper()
	token, err := rs.NewBearer(bearerOf(name))
	if err != nil {
		t.Fatal(err)
	}
	entry := &credential.Entry{
		ProviderURL: provider,
		Credential:  credential.Credential{AccessToken: token, GrantID: "grt_" + name},
	}
	for _, each := range change {
		each(entry)
	}
	if err := cache.Add(entry); err != nil {
		t.Fatal(err)
	}
}

// approved stores the owner's approval of a grant.
func approved(connections ...string) func(*credential.Entry) {
	ids, _ := json.Marshal(connections)
	return func(entry *credential.Entry) {
		entry.Credential.Details = fmt.Appendf(nil,
			`[{"source":{"id":"https://registry.pdpp.dev/connectors/gmail"},"streams":[{"name":"messages","instance_ids":%s}]}]`,
			ids)
	}
}

func serve(t *testing.T, options membership.Options) *membership.Membership {
	t.Helper()
	options.Now = func() time.Time { return now }
	options.ChildTimeout = time.Minute // a machine may be busy
	served, err := membership.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	// what it notes in the cache is written before that is removed
	t.Cleanup(func() { served.Settle(context.Background()) })
	return served
}

// search makes one call. It returns the connections of its hits, and the reasons of missing sources.
func search(t *testing.T, served *membership.Membership) (hits []string, missing map[string]string) {
	t.Helper()
	env, err := served.Environment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var query rs.Query
	query.Set("q", "x")
	query.Set("limit", "10")
	request := rs.Request{Path: "/v1/search", Query: query, Sources: rs.HitsOfSources{}}
	merger, isSeveral := env.RS.(tool.Merger)
	if !isSeveral {
		response, err := env.RS.Get(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := response.Rows()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			hits = append(hits, row.Members.Text("connection_id"))
		}
		return hits, map[string]string{}
	}
	merged, err := merger.Search(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	found := merged.Hits(t.Context(), 10)
	for _, hit := range found.Hits {
		hits = append(hits, hit.Members.Text("connection_id"))
	}
	missing = map[string]string{}
	for _, value := range found.Warnings {
		warning, _ := rawjson.ParseObject(value)
		missing[warning.Text("reason")] = warning.Text("message")
	}
	return hits, missing
}

func wantHits(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}
