package fanout_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/fanout"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
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

type schemaDocument struct {
	Bearer     json.RawMessage   `json:"bearer"`
	Connectors []json.RawMessage `json:"connectors"`
	Meta       struct {
		Warnings []struct {
			ConnectionID string `json:"connection_id"`
			Reason       string `json:"reason"`
		} `json:"warnings"`
	} `json:"meta"`
}

func readSchema(t *testing.T, reader rs.Reader, request rs.Request) (schemaDocument, *rs.Response) {
	t.Helper()
	response, err := reader.Get(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var document schemaDocument
	if err := json.Unmarshal(response.Body(), &document); err != nil {
		t.Fatalf("%v: %s", err, response.Body())
	}
	return document, response
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
			[]string{`{"connector_key":"gmail","streams":[{"name":"messages"}],"stream_count":1,` +
				`"granted_connections":[{"connection_id":"cin_a","display_name":"Personal"},{"connection_id":"cin_b",` +
				`"display_name":"Work"}]}`},
		},
		"the same connection twice, which package schemadoc reads once": {
			[]string{schemaBody(messages + "," + personal), schemaBody(messages + "," + personal)},
			[]string{`{"connector_key":"gmail","streams":[{"name":"messages"}],"stream_count":1,` +
				`"granted_connections":[{"connection_id":"cin_a","display_name":"Personal"},{"connection_id":"cin_a",` +
				`"display_name":"Personal"}]}`},
		},
		"other streams of the same connector": {
			[]string{
				schemaBody(messages + "," + personal),
				schemaBody(`"connector_key":"gmail","streams":[{"name":"messages"},{"name":"threads"}],` + work),
			},
			[]string{
				`{` + messages + `,` + personal + `}`,
				`{"connector_key":"gmail","streams":[{"name":"messages"},{"name":"threads"}],` + work + `}`,
			},
		},
		"connectors that name no connection": {
			[]string{schemaBody(messages), schemaBody(`"streams":[{"name":"messages","connection_id":"cin_b"}]`)},
			[]string{
				`{` + messages + `,"granted_connections":[{"connection_id":"cin_a","display_name":"The a"}]}`,
				`{"streams":[{"name":"messages","connection_id":"cin_b"}]}`,
			},
		},
		"older servers": {
			[]string{`{"data":` + schemaBody(messages+","+personal) + `}`, `{"streams":["tracks"]}`},
			[]string{
				`{` + messages + `,` + personal + `}`,
				`{"streams":["tracks"],"connector_key":"gmail","granted_connections":[{"connection_id":"cin_b",` +
					`"display_name":"The b"}]}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var servers []*fakeRS
			for i, body := range test.bodies {
				servers = append(servers, &fakeRS{name: string(rune('a' + i)), body: body})
			}
			document, response := readSchema(t, newReader(members(servers...)...), schemaOf("", ""))
			var got []string
			for _, connector := range document.Connectors {
				got = append(got, string(connector))
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("connectors (-want +got):\n%s", diff)
			}
			if string(document.Bearer) != `{"token_kind":"mcp_package"}` {
				t.Errorf("%s", response.Body())
			}
			if response.URL != provider+"/v1/schema?view=compact" || response.RequestID != "req_a" ||
				strings.Contains(string(response.Body()), "grt_child") {
				t.Errorf("%s %s %s", response.URL, response.RequestID, response.Body())
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
	document, _ := readSchema(t, newReader(member(a, "messages")), schemaOf("nope", ""))
	untouched(t, a)
	if document.Connectors == nil || len(document.Connectors) != 0 {
		t.Errorf("%+v", document)
	}
}

// R-PKG-6, R-PKG-8: a schema names the missing sources.
func TestSchemaNamesTheMissing(t *testing.T) { synctest.Test(t, schemaNamesTheMissing) }

func schemaNamesTheMissing(t *testing.T) {
	good := &fakeRS{name: "a", body: schemaBody(`"connector_key":"gmail","streams":[{"name":"messages"}],` + personal)}
	sources := append(members(good, &fakeRS{name: "b", waits: true}, &fakeRS{name: "c", body: `{"object":"list"}`}),
		ended("d", "messages"))
	document, _ := readSchema(t,
		fanout.New(sources, fanout.Options{ProviderURL: provider, ChildTimeout: 50 * time.Millisecond}),
		schemaOf("messages", ""))
	got := map[string]string{}
	for _, warning := range document.Meta.Warnings {
		got[warning.ConnectionID] = warning.Reason
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
		response, err := newReader(member(server)).Get(t.Context(),
			rs.Request{Path: "/v1/schema", Sources: rs.SchemaOfSources{}})
		if took := timetest.Spent() - began; err != nil || took > 5*time.Second ||
			strings.Count(string(response.Body()), `"connection_id"`) != len(connectors) {
			t.Errorf("%s: %v (%v)", name, took, err)
		}
	}
}
