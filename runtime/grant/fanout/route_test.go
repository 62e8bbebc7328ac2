package fanout_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// records returns a read of one source.
func records(stream, connectionID string) rs.Request {
	var query rs.Query
	query.Set("count", "exact")
	wanted := rs.OneSource{Stream: stream}
	if connectionID != "" {
		wanted.ConnectionID = &connectionID
		query.Set("connection_id", connectionID)
	}
	return rs.Request{Path: rs.JoinPath("v1", "streams", stream, "records"), Query: query, Sources: wanted}
}

// R-PKG-7: one source is asked, and request and response are unchanged.
func TestOneSourceAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		request rs.Request
		want    string // the server that answers
	}{
		"the connection that is named":                          {records("messages", "cin_b"), "b"},
		"the only source of the stream":                         {records("tracks", ""), "c"},
		"a stream that the connection does not list":            {records("nope", "cin_a"), "a"},
		"of two members of a connection, the one of the stream": {records("labels", "cin_a"), "a2"},
		"members of one connection are no ambiguity":            {records("threads", ""), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			servers := map[string]*fakeRS{}
			for _, name := range []string{"a", "b", "c", "a2"} {
				servers[name] = &fakeRS{name: name, body: `{"object":"list","data":[]}`}
			}
			second := member(servers["a2"], "threads", "labels")
			second.ConnectionID = "cin_a"
			reader := newReader(member(servers["a"], "messages", "threads"), member(servers["b"], "messages"),
				member(servers["c"], "tracks"), second)
			response, err := ask(t.Context(), reader, test.request)
			if err != nil {
				t.Fatal(err)
			}
			if response.RequestID != "req_"+test.want || string(response.Body()) != servers[test.want].body {
				t.Errorf("answered by %s: %s", response.RequestID, response.Body())
			}
			if diff := gocmp.Diff([]string{test.request.Query.Encoded()}, servers[test.want].queries()); diff != "" {
				t.Errorf("queries (-want +got):\n%s", diff)
			}
			delete(servers, test.want)
			for _, other := range servers {
				untouched(t, other)
			}
		})
	}
}

// A member without a published connection may be the one that is named; its resource server decides.
func TestUnpublishedConnectionIsAsked(t *testing.T) {
	known, bare := &fakeRS{name: "a"}, &fakeRS{name: "b", body: `{"data":[]}`}
	source := member(bare)
	source.ConnectionID = ""
	reader := newReader(member(known, "messages"), source)
	if _, err := reader.Get(t.Context(), records("messages", "cin_other")); err != nil {
		t.Fatal(err)
	}
	untouched(t, known)
	if len(bare.queries()) != 1 {
		t.Errorf("queries %q", bare.queries())
	}
}

// R-ERR-5, R-HAND-6: several sources of a stream are listed from membership, the inactive one apart (R-PKG-8),
// and no resource server is asked.
func TestAmbiguityNeedsNoRequest(t *testing.T) {
	one, two, other := &fakeRS{name: "a"}, &fakeRS{name: "b"}, &fakeRS{name: "c"}
	reader := newReader(member(one, "messages"), member(two, "messages"), member(other, "tracks"), ended("d", "messages"),
		ended("e", "tracks"))
	refusal := refusedWith(t, tool.AmbiguousConnection, reader, records("messages", ""))
	untouched(t, one, two, other)
	if refusal.RetryWith != "connection_id" || refusal.Param != "connection_id" || refusal.AvailableTotal != 0 {
		t.Errorf("%+v", refusal)
	}
	want := `[{"grant_id":"grt_a","connector_key":"gmail","connection_id":"cin_a","display_name":"The a"},` +
		`{"grant_id":"grt_b","connector_key":"gmail","connection_id":"cin_b","display_name":"The b"}]`
	if diff := gocmp.Diff(want, string(refusal.AvailableConnections)); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"cin_d"}, connections(t, refusal.UnavailableConnections)); diff != "" {
		t.Errorf("unavailable (-want +got):\n%s", diff)
	}
	if shown := tool.Failed(refusal); !strings.Contains(shown.Text, `"unavailable_connections":[{"grant_id":"grt_d"`) ||
		!strings.Contains(shown.Text, `"reason":"grant_inactive"`) {
		t.Errorf("shown: %s", shown.Text)
	}
}

// R-ERR-5: a large package is capped, with the total, a mark and a hint, also when the error object has to
// shrink.
func TestLargePackagesAreCapped(t *testing.T) {
	for name, label := range map[string]string{"short labels": "Mail", "long labels": strings.Repeat("m", 5_000)} {
		t.Run(name, func(t *testing.T) {
			var sources []fanout.Source
			for i := range 300 {
				source := member(&fakeRS{name: fmt.Sprint(i)}, "messages")
				source.DisplayName = label
				sources = append(sources, source)
			}
			_, err := newReader(sources...).Get(t.Context(), records("messages", ""))
			var failed struct {
				Error struct {
					Available []json.RawMessage `json:"available_connections"`
					Total     int               `json:"available_connections_total"`
					Truncated bool              `json:"available_connections_truncated"`
					Hint      string            `json:"hint"`
					RetryWith string            `json:"retry_with"`
				} `json:"error"`
			}
			if err := json.Unmarshal(tool.Failed(err).Structured, &failed); err != nil {
				t.Fatal(err)
			}
			shown := failed.Error
			if len(shown.Available) != 20 || shown.Total != 300 || !shown.Truncated || shown.RetryWith != "connection_id" ||
				!strings.Contains(shown.Hint, "schema") {
				t.Errorf("%d of %d, truncated %t, retry with %q, hint %q", len(shown.Available), shown.Total, shown.Truncated,
					shown.RetryWith, shown.Hint)
			}
		})
	}
}

// R-PKG-1, R-PKG-8: a refusal of an unreadable source lists the readable ones, without a request.
func TestUnreadableSourcesAreRefused(t *testing.T) {
	a, b := &fakeRS{name: "a"}, &fakeRS{name: "b"}
	some := []fanout.Source{member(a, "messages"), member(b, "tracks"), ended("c", "messages", "notes")}
	for name, test := range map[string]struct {
		sources     []fanout.Source
		request     rs.Request
		code        tool.Code
		says        string
		available   []string
		unavailable []string
	}{
		"a revoked connection": {
			some, records("messages", "cin_c"), tool.SourceUnavailable, "approve it again",
			[]string{"cin_a"},
			[]string{"cin_c"},
		},
		"an unknown connection": {
			some, records("messages", "cin_z"), tool.SourceUnavailable, `"cin_z"`,
			[]string{"cin_a"},
			[]string{"cin_c"},
		},
		"an unknown stream":         {some, records("nope", ""), tool.InvalidArguments, `"nope"`, nil, nil},
		"a stream of a revoked one": {some, records("notes", ""), tool.SourceUnavailable, `"notes"`, nil, []string{"cin_c"}},
		"searching no known stream": {some, searchFor(7, "", "nope"), tool.InvalidArguments, `"nope"`, nil, nil},
		"a request without sources": {
			some,
			rs.Request{Path: "/v1/streams"},
			tool.PackageUnsupported,
			"/v1/streams", nil, nil,
		},
		"no active member": {
			some[2:], records("messages", ""), tool.PackageRevoked, "connect again", nil,
			[]string{"cin_c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			refusal := refusedWith(t, test.code, newReader(test.sources...), test.request)
			if !strings.Contains(refusal.Message, test.says) {
				t.Errorf("%q does not say %q", refusal.Message, test.says)
			}
			if diff := gocmp.Diff(test.available, connections(t, refusal.AvailableConnections)); diff != "" {
				t.Errorf("available (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(test.unavailable, connections(t, refusal.UnavailableConnections)); diff != "" {
				t.Errorf("unavailable (-want +got):\n%s", diff)
			}
			untouched(t, a, b)
		})
	}
}

// A duplicate grant counts once, also without a connection.
func TestGrantListedTwice(t *testing.T) {
	first, second := &fakeRS{name: "a", hits: 1}, &fakeRS{name: "a", hits: 1}
	sources := []fanout.Source{member(first, "messages"), member(second, "messages")}
	sources[0].ConnectionID, sources[1].ConnectionID = "", ""
	if page := search(t, newReader(sources...), searchFor(7, "")); len(page.Data) != 1 {
		t.Errorf("%+v", page)
	}
	untouched(t, second)
}

// A source that was approved again is not marked as unavailable for its earlier grant.
func TestNewGrantReplacesTheOld(t *testing.T) {
	old := ended("a", "messages")
	old.GrantID = "grt_old"
	page := search(t, newReader(old, member(&fakeRS{name: "a", hits: 1}, "messages")), searchFor(7, ""))
	if len(page.Data) != 1 || len(page.Meta.Warnings) != 0 {
		t.Errorf("%+v", page)
	}
}
