//go:build clients

package clients_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/e2e/flowtest"
	"github.com/pdppmcp/pdpp-mcp/e2e/sandboxtest"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
)

// connected are the connections of the three grants, by their label. The first is at the provider of all tests, the
// others at one of this test.
var connected = []struct{ label, connector, connection string }{
	{"mail", "gmail", "cin_gmail_work"},
	{"chat", "slack", "cin_slack_team"},
	{"music", "spotify", "cin_spotify"},
}

// mixed is a search that finds something in each.
const mixed = `{"q":"rain","limit":20}`

// TestGrantsOfARealHost goes from nothing to one server with three grants at two providers, in the two hosts with a
// model: three times connect, one setup, a search with mixed hits, a record of each, and the same search after a grant
// was revoked in the middle of the conversation (R-LOCAL-1, R-LOCAL-2, R-ERR-8).
func TestGrantsOfARealHost(t *testing.T) {
	for _, host := range []struct {
		name string
		play func(t *testing.T, u *user, calls []call, before func(number int)) []json.RawMessage
	}{{"claude-code", playClaude}, {"codex", playCodex}} {
		t.Run(host.name, func(t *testing.T) {
			u := newStranger(t)
			box, other := sandboxtest.Serve(t, sandbox.Options{})
			for i, each := range connected {
				u.connect(t, []string{pdpp.URL, other, other}[i], each.label, each.connector, each.connection)
			}
			u.run(t, "pdpp-mcp", "setup", host.name, "--yes")

			handles := u.handles(t, other)
			calls := []call{{"search", mixed}}
			for _, each := range connected {
				calls = append(calls, call{"fetch", `{"id":"` + handles[each.connection] + `"}`})
			}
			revoked := u.grant(t, "chat")
			results := host.play(t, u, append(calls, calls[0]), func(number int) {
				if number != len(calls) {
					return
				}
				if err := box.Authorization().Revoke(revoked); err != nil {
					t.Error(err)
				}
			})
			for i, each := range connected {
				wantSaid(t, results[0], each.connection+"/")
				wantSaid(t, results[i+1], handles[each.connection])
			}
			last := results[len(calls)]
			wantSaid(t, last, "grant_revoked", "pdpp-mcp connect "+other, "cin_slack_team", "cin_gmail_work/", "cin_spotify/")
			if strings.Contains(string(last), handles["cin_slack_team"]) {
				t.Errorf("a record of the grant that was revoked is still found: %s", last)
			}
		})
	}
}

func wantSaid(t *testing.T, result json.RawMessage, all ...string) {
	t.Helper()
	for _, said := range all {
		if !strings.Contains(string(result), said) {
			t.Errorf("the model is not shown %q: %s", said, result)
		}
	}
}

// connect signs in to a provider, whose owner approves on the page that the terminal names.
func (u *user) connect(t *testing.T, provider, label, connector, connection string) {
	t.Helper()
	command := u.command(t, "pdpp-mcp", "connect", provider, "--no-browser", "--label", label,
		"--source", "https://registry.pdpp.dev/connectors/"+connector, "--connection", connection)
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	approved := false
	for lines := bufio.NewScanner(said); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		page := strings.TrimSpace(lines.Text())
		if approved || !strings.HasPrefix(page, provider+"/") {
			continue
		}
		if _, err := flowtest.New(nil).Approve(t.Context(), page, connection); err != nil {
			t.Fatal(err)
		}
		approved = true
	}
	if err := command.Wait(); err != nil || !approved {
		t.Fatalf("connect ended with %v:\n%s", err, &all)
	}
}

// handles returns a hit of the search for each connection.
func (u *user) handles(t *testing.T, other string) map[string]string {
	t.Helper()
	found := map[string]string{}
	printed := u.run(t, "pdpp-mcp", "call", "search", "--provider-url", pdpp.URL, "--provider-url", other, "--json", mixed, "--jq", ".results[].id")
	for _, handle := range strings.Fields(printed) {
		connection, _, _ := strings.Cut(handle, "/")
		found[connection] = handle
	}
	for _, each := range connected {
		if found[each.connection] == "" {
			t.Fatalf("the hits are not mixed: %s", printed)
		}
	}
	return found
}

// grant returns the id of the grant with a label.
func (u *user) grant(t *testing.T, label string) string {
	t.Helper()
	var grants []struct {
		Label string
		ID    string `json:"grant_id"`
	}
	if err := json.Unmarshal([]byte(u.run(t, "pdpp-mcp", "connections", "--json")), &grants); err != nil {
		t.Fatal(err)
	}
	for _, grant := range grants {
		if grant.Label == label {
			return grant.ID
		}
	}
	t.Fatalf("no grant of %v is labelled %s", grants, label)
	return ""
}

// playClaude has Claude Code make the calls, whose tools its model asks for first.
func playClaude(t *testing.T, u *user, calls []call, before func(number int)) []json.RawMessage {
	t.Helper()
	made := []call{{"ToolSearch", `{"query":"select:mcp__pdpp__search,mcp__pdpp__fetch"}`}}
	for _, each := range calls {
		made = append(made, call{"mcp__pdpp__" + each.Tool, each.Arguments})
	}
	model := playModel[messagesRequest](t, "POST /v1/messages", made, func(w http.ResponseWriter, number int, made *call) {
		before(number - 2) // the first is number 1, and asks for tools
		writeMessage(w, number, made)
	})
	_, results := u.runClaude(t, model, len(made))
	return results[1:]
}

// playCodex has Codex make the calls.
func playCodex(t *testing.T, u *user, calls []call, before func(number int)) []json.RawMessage {
	t.Helper()
	var made []namespacedCall
	for _, each := range calls {
		made = append(made, namespacedCall{codexNamespace("pdpp"), each})
	}
	model := playModel[responsesRequest](t, "POST /v1/responses", made, func(w http.ResponseWriter, number int, made *namespacedCall) {
		before(number - 1)
		writeResponse(w, number, made)
	})
	_, results := u.runCodex(t, model, len(made))
	return results
}
