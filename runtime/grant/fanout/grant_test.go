package fanout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// wideGrant is a resource server of one grant over several connections.
type wideGrant struct {
	of  map[string]*fakeRS // by connection
	all *fakeRS            // answers what names no connection

	mu     sync.Mutex
	unsaid int // reads that name no connection
}

func (w *wideGrant) ProviderURL() string { return provider }

func (w *wideGrant) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if id, named := request.Query.Get("connection_id"); named {
		return w.of[id].Get(ctx, request)
	}
	w.mu.Lock()
	w.unsaid++
	w.mu.Unlock()
	return w.all.Get(ctx, request)
}

// wide returns a grant over the connections a and b, and one of c.
func wide() (grant *wideGrant, other *fakeRS, sources []fanout.Source) {
	a, b, c := &fakeRS{name: "a", hits: 3}, &fakeRS{name: "b", hits: 2}, &fakeRS{name: "c", hits: 2}
	all := &fakeRS{
		name: "all",
		body: `{"object":"schema","connectors":[{"connector_key":"gmail","streams":[{"name":"messages"}],` +
			`"granted_connections":[{"connection_id":"cin_a"},{"connection_id":"cin_b"}]}]}`,
	}
	grant = &wideGrant{of: map[string]*fakeRS{"cin_a": a, "cin_b": b}, all: all}
	for _, server := range []*fakeRS{a, b} {
		source := member(server, "messages")
		source.GrantID, source.Shared, source.Reader = "grt_wide", true, grant
		sources = append(sources, source)
	}
	return grant, c, append(sources, member(c, "messages"))
}

// R-LOCAL-1: each connection of a grant is a source. Its search names the connection, and all hits are merged once,
// round robin.
func TestAGrantOverSeveralConnections(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 7} {
		grant, c, sources := wide()
		reader := newReader(sources...)
		var keys []string
		for cursor := ""; ; {
			page := search(t, reader, searchFor(limit, cursor))
			keys = append(keys, page.keys()...)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if diff := gocmp.Diff(turnsOf(grant.of["cin_a"], grant.of["cin_b"], c), keys); diff != "" {
			t.Errorf("hits by %d (-want +got):\n%s", limit, diff)
		}
		if grant.unsaid > 0 {
			t.Errorf("%d searches named no connection", grant.unsaid)
		}
		if queries := c.queries(); slices.ContainsFunc(queries,
			func(q string) bool { return strings.Contains(q, "connection_id") }) {
			t.Errorf("a grant over one connection was asked %q", queries)
		}
	}
}

// A read of one connection of a grant names it, also if the caller did not. Other requests are sent once per grant.
func TestReadsOfAGrantOverSeveralConnections(t *testing.T) {
	grant, c, sources := wide()
	c.body = `{"object":"schema","connectors":[]}`
	reader := newReader(sources...)
	if _, err := schemaquery.Get(t.Context(), reader, schemaOf("", "")); err != nil {
		t.Fatal(err)
	}
	if grant.unsaid != 1 || len(c.queries()) != 1 {
		t.Errorf("the schema was asked %d times of one grant, %d of the other", grant.unsaid, len(c.queries()))
	}
	refusal := refusedWith(t, "ambiguous_connection", reader,
		rs.Request{Path: "/v1/streams/messages/records", Sources: rs.OneSource{Stream: "messages"}})
	if diff := gocmp.Diff([]string{"cin_a", "cin_b", "cin_c"}, connections(t, refusal.AvailableConnections)); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
	var query rs.Query
	query.Set("limit", "1")
	if _, err := fanout.New(sources[:1], fanout.Options{ProviderURL: provider}).Get(t.Context(),
		rs.Request{
			Path: "/v1/streams/messages/records", Query: query,
			Sources: rs.OneSource{Stream: "messages"},
		}); err != nil {
		t.Fatal(err)
	}
	if got := grant.of["cin_a"].queries(); len(got) != 1 || got[0] != "limit=1&connection_id=cin_a" {
		t.Errorf("the connection was asked %q", got)
	}
}

// R-LOCAL-2: an unreadable source is named with its reason and remedy. A source of an ended grant is not asked.
func TestWhatGetsASourceBack(t *testing.T) {
	a := &fakeRS{name: "a", hits: 1}
	expired, silent := ended("b", "messages"), ended("c", "messages")
	expired.Missing = &fanout.EndedError{Reason: "grant_expired", Message: "it ended yesterday"}
	expired.Reconnect = "pdpp-mcp connect https://pdpp.example"
	silent.Missing = &rs.Failure{Reason: rs.Unreachable, Message: "the resource server does not answer"}
	reader := newReader(member(a, "messages"), expired, silent)
	page := search(t, reader, searchFor(5, ""))
	if diff := gocmp.Diff(map[string]string{"cin_b": "grant_expired", "cin_c": "rs_unreachable"},
		page.reasons()); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	id := "cin_b"
	refusal := refusedWith(t, "source_unavailable", reader,
		rs.Request{Sources: rs.OneSource{Stream: "messages", ConnectionID: &id}})
	for _, says := range []string{"it ended yesterday", "can run: " + expired.Reconnect} {
		if !strings.Contains(refusal.Message, says) {
			t.Errorf("%q does not say %q", refusal.Message, says)
		}
	}
	if says := fmt.Sprint(page.Meta.Warnings); !strings.Contains(says, expired.Reconnect) ||
		!strings.Contains(says, "try again") && !strings.Contains(says, "call again") {
		t.Errorf("the warnings are %s", says)
	}
}

// R-ERR-8: with several providers each hit names its provider, and the response names none.
func TestSeveralProviders(t *testing.T) {
	a, b := &fakeRS{name: "a", hits: 1}, &fakeRS{name: "b", hits: 1}
	response, err := ask(t.Context(), fanout.New(members(a, b), fanout.Options{}), searchFor(5, ""))
	if err != nil {
		t.Fatal(err)
	}
	if response.URL != "" || strings.Count(string(response.Body()), `"provider_url":"`+provider+`"`) != 2 {
		t.Errorf("%q %s", response.URL, response.Body())
	}
}

// R-LOCAL-1, R-ERR-5: a read that names no connection goes to the only grant with the stream, whose resource server
// answers for its connections together. With a second grant, the connection must be named.
func TestReadOfAWholeGrant(t *testing.T) {
	const body = `{"object":"list","data":[{"id":"1","connection_id":"cin_a"},{"id":"1","connection_id":"cin_b"}]}`
	grant, other, sources := wide()
	grant.all.body = body
	sources[2].Streams = []string{"tracks"}
	response, err := newReader(sources...).Get(t.Context(), records("messages", ""))
	if err != nil || string(response.Body()) != body || grant.unsaid != 1 ||
		!slices.Equal(response.GrantIDs, []string{"grt_wide"}) {
		t.Fatalf("read of the whole grant: %v, %v", response, err)
	}
	untouched(t, other)
	sources[2].Streams = []string{"messages"}
	var refused *tool.Error
	if _, err := newReader(sources...).Get(t.Context(), records("messages", "")); !errors.As(err, &refused) ||
		refused.Code != tool.AmbiguousConnection {
		t.Errorf("read of two grants: %v", err)
	}
}
