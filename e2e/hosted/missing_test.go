package hosted_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/journey"
	"github.com/pdppmcp/pdpp-mcp/e2e/journey/blind"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// patience bounds how long an answer with missing sources may take on a busy machine. It is less than what every other
// deadline of the server is (hosttest.Patient). The tests of runtime/grant/fanout measure the deadline itself, in a
// synthetic time.
const patience = 30 * time.Second

// impaired returns a package of one source that answers, and one for each way to be missing.
func impaired() []member {
	return []member{
		{name: "hanging", answers: hangs},
		{name: "refusing", answers: refuses},
		{name: "html", answers: answersHTML},
		{name: "ended", status: "revoked"},
		{name: "healthy", hits: 30},
	}
}

// missing maps the sources of impaired that fail to the reason that a result names.
var missing = map[string]string{
	"hanging": "timeout", "refusing": "grant_revoked", "html": "invalid_response", "ended": "grant_inactive",
}

// ask calls a tool in an authenticated session, and fails the test if the answer takes longer than patience.
func ask(t *testing.T, session *mcp.ClientSession, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	result := call(ctx, t, session, tool, arguments)
	if ctx.Err() != nil {
		t.Errorf("%s %s took longer than %s", tool, arguments, patience)
	}
	return result
}

// R-PKG-6, R-PKG-8: sources that hang, were revoked, or answer with a web page cost no more than their deadline.
// Each is named as missing with its reason, and nothing offers it as one to read.
func TestMissingSources(t *testing.T) {
	t.Parallel()
	for tool, arguments := range map[string]string{
		"search": `{"q":"note","limit":7}`,
		"schema": `{}`,
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, impaired()...)
			usual := func(options *host.HandlerOptions) { options.ChildTimeout = 0 }
			result := ask(t, p.session(t, "x", usual), tool, arguments)
			if result.IsError {
				t.Fatal(journey.Text(t, result))
			}
			for _, channel := range journey.Channels {
				shown := channel.Show(t, result)
				for name, reason := range missing {
					if !strings.Contains(shown, "The "+name) || !strings.Contains(shown, reason) {
						t.Errorf("%s does not say that %s is missing because of %s:\n%s", channel.Name, name, reason, shown)
					}
				}
				usable, err := offered(channel.Read, tool, shown)
				if diff := cmp.Diff(map[string]bool{"cin_healthy": true}, usable); diff != "" || err != nil {
					t.Errorf("%s offers (-want +got): %v\n%s", channel.Name, err, diff)
				}
			}
			if p.asked("ended") > 0 {
				t.Error("the source whose grant has ended was asked")
			}
		})
	}
}

// offered returns the connections that a result shows as readable: those of its hits, or of its index.
func offered(read blind.Channel, tool, shown string) (map[string]bool, error) {
	connections := map[string]bool{}
	if tool == "schema" {
		sources, err := read.Index(shown)
		for _, source := range sources {
			connections[source.ConnectionID] = true
		}
		return connections, err
	}
	page, err := read.Hits(shown)
	for _, id := range page.IDs() {
		connection, _, _ := strings.Cut(id, "/")
		connections[connection] = true
	}
	return connections, err
}

// R-PKG-6, R-ERR-1: when every source refuses for the same reason, that is the answer.
func TestEverySourceRefuses(t *testing.T) {
	p := newProvider(t, member{name: "one", answers: refuses}, member{name: "two", answers: refuses})
	session := p.session(t, "x")
	for tool, arguments := range map[string]string{"search": `{"q":"note"}`, "schema": `{}`} {
		result := ask(t, session, tool, arguments)
		for _, channel := range journey.Channels {
			shown := channel.Show(t, result)
			if refusal, refused := channel.Read.Refusal(shown); !result.IsError || !refused || refusal.Code != "grant_revoked" ||
				len(refusal.Connections) > 0 {
				t.Errorf("%s of %s: %s", channel.Name, tool, shown)
			}
		}
	}
}

// R-ERR-5, R-PKG-8: who must choose a source is offered those whose grants are active, from membership alone; the
// one that has ended stands apart and cannot be read. The text of an ambiguous call names each once, with its label, in
// the call that reads it.
func TestChoiceAmongSources(t *testing.T) {
	p := newProvider(t, member{name: "ended", status: "revoked"}, member{name: "one", hits: 1},
		member{name: "two", hits: 1})
	session := p.session(t, "x")
	ambiguous := ask(t, session, "query_records", `{"stream":"messages"}`)
	undetailed := ask(t, session, "schema", `{"stream":"messages","detail":"full"}`)
	ended := ask(t, session, "query_records", `{"stream":"messages","connection_id":"cin_ended"}`)
	for _, channel := range journey.Channels {
		for result, code := range map[*mcp.CallToolResult]string{
			ambiguous: "ambiguous_connection", undetailed: "ambiguous_connection", ended: "source_unavailable",
		} {
			shown := channel.Show(t, result)
			refusal, refused := channel.Read.Refusal(shown)
			if !strings.Contains(shown, `"unavailable_connections":[{`) {
				t.Errorf("%s does not name the source that has ended: %s", channel.Name, shown)
			}
			if result != ended && channel.Name == "text" {
				for _, name := range []string{"one", "two"} {
					if call := `"connection_id":"cin_` + name + `"},"label":"The ` + name + `"}`; strings.Count(shown, call) != 1 ||
						refusal.Code != code {
						t.Errorf("no single call of %s: %s", name, shown)
					}
				}
				continue
			}
			for _, name := range []string{"one", "two"} {
				if candidate := `"grant_id":"grt_` + name + `"`; !strings.Contains(shown, candidate) {
					t.Errorf("%s does not name the grant of %s: %s", channel.Name, name, shown)
				}
			}
			var offered []string
			for _, connection := range refusal.Connections {
				offered = append(offered, connection.ConnectionID)
			}
			if !refused || refusal.Code != code || strings.Join(offered, " ") != "cin_one cin_two" {
				t.Errorf("%s: %s", channel.Name, shown)
			}
		}
	}
	if asked := p.take(); len(asked) > 0 {
		t.Errorf("the resource server was asked %d times", len(asked))
	}
}
