package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// run calls a tool as a host does.
func run(t *testing.T, server rs.Reader, name, arguments string) *tool.Result {
	t.Helper()
	result, err := toolNamed(t, name).Run(t.Context(), tool.Env{RS: server}, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func toolNamed(t testing.TB, name string) tool.Definition {
	t.Helper()
	for _, definition := range gen.Surface().Tools {
		if definition.Name == name {
			return definition
		}
	}
	t.Fatal("no tool " + name)
	return tool.Definition{}
}

// R-HAND-10: a continuation has the arguments of its call as they were written. An alias has the advertised name, and
// null is left out.
func TestAContinuationRepeatsTheCall(t *testing.T) {
	for _, test := range []struct{ tool, arguments, want, again string }{
		{
			"query_records",
			`{"limit" : 2.0, "stream":"notes","filter":{"n":{"gte":3, "lt":1e9},"seen":false,"name":"\u00e9"},"fields":["n"],` +
				`"cursor":null}`,
			`{"limit":2.0,"stream":"notes","filter":{"n":{"gte":3,"lt":1e9},"seen":false,"name":"\u00e9"},"fields":["n"],` +
				`"cursor":"at2"}`,
			"limit=2&cursor=at2&filter%5Bn%5D%5Bgte%5D=3&filter%5Bn%5D%5Blt%5D=1e9&filter%5Bseen%5D=false&filter%5Bname%5D=%C3%A9&fields=n",
		},
		{
			"query_records", `{"changes_since":"beginning","stream":"notes","limit":2,"connection_id":"cin_1"}`,
			`{"stream":"notes","limit":2,"connection_id":"cin_1","cursor":"at2"}`, "limit=2&cursor=at2&connection_id=cin_1",
		},
		{
			"search", `{"query":"word","mode":"semantic","limit":2,"filter":{"n":3},"streams":["notes"]}`,
			`{"q":"word","mode":"semantic","limit":2,"filter":{"n":3},"streams":["notes"],"cursor":"at2"}`,
			"q=word&streams=notes&limit=2&cursor=at2&filter%5Bn%5D=3",
		},
	} {
		server := &pager{rows: sizedRecords(10, 10, 10, 10, 10)}
		for _, arguments := range []string{test.arguments, test.want} {
			result := run(t, server, test.tool, arguments)
			if arguments == test.arguments {
				has(t, textCalls(t, result.Text, "next"), test.tool, test.want)
				has(t, structuredCalls(t, result.Structured), test.tool, test.want)
			}
		}
		if got := server.asked[len(server.asked)-1]; got != test.again {
			t.Errorf("page two asks %s, want %s", got, test.again)
		}
	}
}

// R-HAND-10: a tool without a cursor is not called with one, and says that it shows no more.
func TestAToolWithoutACursorShowsOnePage(t *testing.T) {
	call := given("query_records", `{"stream":"s"}`)
	call.Tool, call.Accepted = "newest", []string{"stream", "limit"}
	result := renderRecords(t, "/v1/streams/s/records", `{"data":[{"id":"1"}],"has_more":true,"next_cursor":"c1"}`,
		scan.RowsInput{Call: call, Stream: "s"})
	if calls := textCalls(t, result.Text, "next"); len(calls) != 0 ||
		strings.Contains(string(result.Structured), `"next":`) {
		t.Errorf("a call that the tool refuses: %s\n%s", calls, result.Structured)
	}
	if !strings.Contains(result.Text, "newest takes no cursor") {
		t.Errorf("the text does not say why there is no next call:\n%s", result.Text)
	}
}
