package fanout_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// schemaOf returns the request for a schema. Empty arguments are omitted.
func schemaOf(stream, connectionID string) rs.Request {
	var query rs.Query
	var wanted rs.SchemaOfSources
	query.Set("view", "compact")
	if stream != "" {
		wanted.Stream = &stream
		query.Set("stream", stream)
	}
	if connectionID != "" {
		wanted.ConnectionID = &connectionID
		query.Set("connection_id", connectionID)
	}
	return rs.Request{Path: rs.JoinPath("v1", "schema"), Query: query, Sources: wanted}
}

// schemaBody returns a document of one connector with these members.
func schemaBody(connector string) string {
	return `{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"grt_child"},` +
		`"connectors":[{` + connector +
		`}],"connector_count":1,"stream_count":1,"meta":{"warnings":[]}}`
}

func readSchema(t *testing.T, reader rs.Reader, request rs.Request) *answer.Schema {
	t.Helper()
	found, err := schemaquery.Get(t.Context(), reader, request)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// outline returns a line for each connector: its members, its streams as they were sent, and the connections of each.
func outline(document *schemadoc.Document) (lines []string) {
	labels := func(connections []schemadoc.Connection) string {
		var all []string
		for _, each := range connections {
			all = append(all, each.ID+"="+each.Label)
		}
		return "[" + strings.Join(all, " ") + "]"
	}
	for _, connector := range document.Connectors {
		line := connector.Key + labels(connector.Connections)
		for _, stream := range connector.Streams {
			line += " " + string(stream.Row) + labels(stream.Connections)
		}
		lines = append(lines, line)
	}
	return lines
}

const (
	personal = `"granted_connections":[{"connection_id":"cin_a","display_name":"Personal"}]`
	work     = `"granted_connections":[{"connection_id":"cin_b","display_name":"Work"}]`
)

// R-PKG-7: the documents of all sources become one. Connectors that differ in nothing but their connections
// become one with all connections; a grant that differs stays apart, with its own.
func TestSchemasAreMerged(t *testing.T) {
	const messages = `"connector_key":"gmail","streams":[{"name":"messages"}],"stream_count":1`
	for name, test := range map[string]struct {
		bodies []string
		want   []string
	}{
		"the same streams of two connections": {
			[]string{schemaBody(messages + "," + personal), schemaBody(messages + "," + work)},
			[]string{`gmail[cin_a=Personal cin_b=Work] {"name":"messages"}[]`},
		},
		"the same connection twice": {
			[]string{schemaBody(messages + "," + personal), schemaBody(messages + "," + personal)},
			[]string{`gmail[cin_a=Personal] {"name":"messages"}[]`},
		},
		"other streams of the same connector": {
			[]string{
				schemaBody(messages + "," + personal),
				schemaBody(`"connector_key":"gmail","streams":[{"name":"messages"},{"name":"threads"}],` + work),
			},
			[]string{
				`gmail[cin_a=Personal] {"name":"messages"}[]`,
				`gmail[cin_b=Work] {"name":"messages"}[] {"name":"threads"}[]`,
			},
		},
		"connectors that name no connection": {
			[]string{schemaBody(messages), schemaBody(`"streams":[{"name":"messages","connection_id":"cin_b"}]`)},
			[]string{
				`gmail[cin_a=The a] {"name":"messages"}[]`,
				`[cin_b=] {"name":"messages","connection_id":"cin_b"}[]`,
			},
		},
		"older servers": {
			[]string{`{"data":` + schemaBody(messages+","+personal) + `}`, `{"streams":["tracks"]}`},
			[]string{
				`gmail[cin_a=Personal] {"name":"messages"}[]`,
				`gmail[cin_b=The b] "tracks"[]`,
			},
		},
		"streams of different connections": {
			[]string{
				schemaBody(`"connector_key":"gmail","streams":[{"name":"messages"},{"name":"labels","connection_id":"cin_a"}],` + personal),
				schemaBody(`"connector_key":"gmail","streams":[{"name":"messages"},{"name":"labels","connection_id":"cin_b"}],` + work),
			},
			[]string{
				`gmail[cin_a=Personal] {"name":"messages"}[] {"name":"labels","connection_id":"cin_a"}[]`,
				`gmail[cin_b=Work] {"name":"messages"}[] {"name":"labels","connection_id":"cin_b"}[]`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var servers []*fakeRS
			for i, body := range test.bodies {
				servers = append(servers, &fakeRS{name: string(rune('a' + i)), body: body})
			}
			found := readSchema(t, newReader(members(servers...)...), schemaOf("", ""))
			if diff := gocmp.Diff(test.want, outline(found.Document)); diff != "" {
				t.Errorf("connectors (-want +got):\n%s", diff)
			}
			if !found.Document.HasSeveralGrants() || found.Document.GrantID() != "" {
				t.Errorf("the document is of one grant: %s", found.Document.Members.Encode())
			}
			if found.URL != provider+"/v1/schema?view=compact" || found.RequestID != "req_a" {
				t.Errorf("%+v", found.Origin)
			}
		})
	}
}

// R-PKG-3, R-PKG-7: only sources that may have the stream are asked; a connection is asked alone; a stream of
// no source has an empty document.
func TestSchemaIsRouted(t *testing.T) {
	body := schemaBody(`"streams":[]`)
	for name, test := range map[string]struct {
		request rs.Request
		asked   string // names of the servers
	}{
		"everything":              {schemaOf("", ""), "abc"},
		"a stream":                {schemaOf("messages", ""), "ac"},
		"a connection":            {schemaOf("", "cin_b"), "b"},
		"a stream of one":         {schemaOf("messages", "cin_a"), "a"},
		"a stream of unpublished": {schemaOf("nope", ""), "c"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, c := &fakeRS{name: "a", body: body}, &fakeRS{name: "b", body: body}, &fakeRS{name: "c", body: body}
			readSchema(t, newReader(member(a, "messages"), member(b, "tracks"), member(c)), test.request)
			asked := ""
			for _, server := range []*fakeRS{a, b, c} {
				for _, query := range server.queries() {
					asked += server.name
					if query != test.request.Query.Encoded() {
						t.Errorf("%s was asked %q", server.name, query)
					}
				}
			}
			if asked != test.asked {
				t.Errorf("asked %q, not %q", asked, test.asked)
			}
		})
	}
	a := &fakeRS{name: "a", body: body}
	empty := readSchema(t, newReader(member(a, "messages")), schemaOf("nope", ""))
	untouched(t, a)
	if empty.Document.StreamCount() != 0 {
		t.Errorf("%+v", empty.Document)
	}
}

// R-PKG-6, R-PKG-8: a schema names the missing sources.
func TestSchemaNamesTheMissing(t *testing.T) { synctest.Test(t, schemaNamesTheMissing) }

func schemaNamesTheMissing(t *testing.T) {
	good := &fakeRS{name: "a", body: schemaBody(`"connector_key":"gmail","streams":[{"name":"messages"}],` + personal)}
	sources := append(members(good, &fakeRS{name: "b", waits: true}, &fakeRS{name: "c", body: `{"object":"list"}`}),
		ended("d", "messages"))
	reader := fanout.New(sources, fanout.Options{ProviderURL: provider, ChildTimeout: 50 * time.Millisecond})
	document := readSchema(t, reader, schemaOf("messages", "")).Document
	got := map[string]string{}
	for _, each := range document.Warnings() {
		warning, _ := rawjson.ParseObject(each)
		got[warning.Text("connection_id")] = warning.Text("reason")
	}
	if diff := gocmp.Diff(map[string]string{
		"cin_b": "rs_timeout", "cin_c": "rs_invalid_response",
		"cin_d": "grant_inactive",
	}, got); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if len(document.Connectors) != 1 {
		t.Errorf("%+v", document)
	}
	down := func(int) error { return &rs.Failure{Reason: rs.Unreachable, Message: "no route"} }
	refusedWith(t, tool.SourceUnavailable,
		newReader(members(&fakeRS{name: "a", fails: down}, &fakeRS{name: "b", fails: down})...), schemaOf("", ""))
	refusedWith(t, tool.SourceUnavailable, newReader(sources...), schemaOf("", "cin_d"))
}

// R-PKG-7: merging documents takes time in proportion to the connectors, not to their square.
func TestVeryManyConnectorsAreMerged(t *testing.T) {
	for name, kinds := range map[string]int{"alike": 1, "apart": 4_000} {
		var connectors []string
		for i := range 4_000 {
			connectors = append(connectors,
				fmt.Sprintf(`{"connector_key":"k%d","granted_connections":[{"connection_id":"cin_%d"}]}`, i%kinds, i))
		}
		server := &fakeRS{name: "a", body: `{"object":"schema","connectors":[` + strings.Join(connectors, ",") + `]}`}
		began := timetest.Spent()
		found := readSchema(t, newReader(member(server)), schemaOf("", ""))
		took, connections := timetest.Spent()-began, 0
		for _, each := range found.Document.Connectors {
			connections += len(each.Connections)
		}
		if took > 5*time.Second || len(found.Document.Connectors) != kinds || connections != len(connectors) {
			t.Errorf("%s: %d connectors, %d connections (%v)", name, len(found.Document.Connectors), connections, took)
		}
	}
}
