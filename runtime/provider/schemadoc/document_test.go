package schemadoc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemaquery"
)

func respond(t *testing.T, body string) *rs.Response {
	t.Helper()
	response, err := rs.Response{Status: 200}.WithBody([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// outline returns a line for each connector with its connections and its streams, which may have connections too.
func outline(d *schemadoc.Document) []string {
	ids := func(connections []schemadoc.Connection) string {
		var ids []string
		for _, c := range connections {
			ids = append(ids, c.ID+"="+c.Label)
		}
		return strings.Join(ids, ",")
	}
	lines := []string{"grant " + d.GrantID()}
	for _, c := range d.Connectors {
		line := c.Key + "[" + ids(c.Connections) + "]"
		for _, s := range c.Streams {
			line += fmt.Sprintf(" %s[%s]", s.Name, ids(s.Connections))
		}
		lines = append(lines, line)
	}
	return lines
}

// R-SCH-1: every form of a document is read as the same rows.
func TestRead(t *testing.T) {
	const gmail = `{"connector_key":"gmail","streams":[{"name":"messages"},{"name":""},{},7,"threads"],` +
		`"granted_connections":[{"connection_id":"a","display_name":"A"},{"connection_id":"a"},{"connection_id":"b",` +
		`"label":"B"},{}]}`
	whole := []string{"grant g1", "gmail[a=A,b=B] messages[] threads[]"}
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"as servers send it": {`{"bearer":{"token_kind":"client","grant_id":"g1"},"connectors":[` +
			gmail + `,7]}`, whole},
		"with spaces": {"{ \"connectors\" : [\n" + strings.ReplaceAll(gmail, ",", " ,\t") +
			" ] , \"bearer\" : { \"token_kind\" : \"client\" , \"grant_id\":\"g1\" } }", whole},
		"wrapped": {`{"data":{"bearer":{"token_kind":"client","grant_id":"g1"},"connectors":[` +
			gmail + `]}}`, whole},
		"wrapped without a bearer": {`{"bearer":{"token_kind":"client","grant_id":"g1"},"data":{"connectors":[` +
			gmail + `]}}`, whole},
		"escaped names": {`{"\u0062earer":{"token_kind":"client","grant_id":"g1"},"connector\u0073":[` +
			gmail + `]}`, whole},
		"streams next to connectors": {
			`{"bearer":{"token_kind":"client","grant_id":"g1"},"streams":[{"name":"messages"}],"connectors":[` +
				gmail + `]}`, whole,
		},
		"streams alone": {
			`{"streams":[{"name":"messages","connector_id":"https://x.example/gmail",` +
				`"connection_id":"a"},{"stream":"messages","connector_key":"gmail","connection_id":"b"},"bare"]}`,
			[]string{"grant ", "gmail[a=,b=] messages[a=] messages[b=]", "[] bare[]"},
		},
		"a row for each connection": {
			`{"connectors":[{"source":{"id":"https://x.example/gmail"},"streams":[{"name":"messages",` +
				`"connection_id":"a"},{"name":"messages","connection_id":"b"},{"name":"threads","connection_id":"b"}]}]}`,
			[]string{"grant ", "gmail[a=,b=] messages[] threads[b=]"},
		},
		"nothing granted": {`{"connectors":[]}`, []string{"grant "}},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := schemaquery.Read(respond(t, test.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outline(document)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// R-ERR-4: an answer without lists is a typed failure.
func TestReadOtherAnswers(t *testing.T) {
	for _, body := range []string{
		`{}`, `{"connectors":{}}`, `{"data":[]}`,
		`{"bearer":{"token_kind":"client"},"data":{"data":{"connectors":[]}}}`,
	} {
		_, err := schemaquery.Read(respond(t, body))
		var failure *rs.Failure
		if !errors.As(err, &failure) || failure.Reason != rs.InvalidResponse {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// R-SCH-4: the scope is applied if a server ignores it.
func TestKeep(t *testing.T) {
	const body = `{"connectors":[
		{"connector_key":"gmail","streams":[{"name":"messages"},{"name":"threads","connection_id":"b"}],"granted_connections":[{"connection_id":"a"},{"connection_id":"b"}]},
		{"connector_key":"other","streams":[{"name":"messages"}]}]}`
	stream, connection := "threads", "a"
	for name, test := range map[string]struct {
		scope schemadoc.Scope
		want  []string
	}{
		"everything": {schemadoc.Scope{}, []string{"grant ", "gmail[a=,b=] messages[] threads[b=]", "other[] messages[]"}},
		"a stream":   {schemadoc.Scope{Stream: &stream}, []string{"grant ", "gmail[b=] threads[]"}},
		"a connection": {
			schemadoc.Scope{ConnectionID: &connection},
			[]string{"grant ", "gmail[a=] messages[]", "other[] messages[]"},
		},
		"neither": {schemadoc.Scope{Stream: &stream, ConnectionID: &connection}, []string{"grant "}},
	} {
		document, err := schemaquery.Read(respond(t, body))
		if err != nil {
			t.Fatal(err)
		}
		document.Keep(test.scope)
		if diff := cmp.Diff(test.want, outline(document)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
