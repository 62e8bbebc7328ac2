package schemadoc_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

// R-MCP-1: a stream is offered with the connections that have it, and a connection once.
func TestNames(t *testing.T) {
	document, err := schemaquery.Read(respond(t, `{"connectors":[
		{"connector_key":"gmail","streams":[{"name":"messages"},{"name":"labels","granted_connections":[{"connection_id":"a"}]}],
		 "granted_connections":[{"connection_id":"a","display_name":"A"},{"connection_id":"b"}]},
		{"connector_key":"chat","streams":[{"name":"messages","connection_id":"c"},{"name":"rooms","connection_id":"c"}]},
		{"streams":["bare"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	names := document.Names()
	ids := func(stream string) (ids []string) {
		for _, connection := range names.Connections(stream) {
			ids = append(ids, connection.ID)
		}
		return ids
	}
	for about, test := range map[string]struct{ got, want []string }{
		"all streams":                {names.Streams(""), []string{"bare", "labels", "messages", "rooms"}},
		"streams of a":               {names.Streams("a"), []string{"labels", "messages"}},
		"streams of b":               {names.Streams("b"), []string{"messages"}},
		"streams of an unknown one":  {names.Streams("z"), nil},
		"all connections":            {ids(""), []string{"a", "b", "c"}},
		"connections with messages":  {ids("messages"), []string{"a", "b", "c"}},
		"connections with labels":    {ids("labels"), []string{"a"}},
		"connections with bare rows": {ids("bare"), nil},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", about, diff)
		}
	}
	if diff := cmp.Diff(schemadoc.Connection{ID: "a", Label: "A"}, names.Connections("")[0]); diff != "" {
		t.Errorf("the first connection (-want +got):\n%s", diff)
	}
}
