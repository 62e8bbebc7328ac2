package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// severalGrants are two providers with a cache of grants at both, and a local server that reads them.
type severalGrants struct {
	boxes   [2]*sandbox.Sandbox
	origins [2]*origin
	cache   *credential.Cache
	session *mcp.ClientSession
}

// add stores a ready grant of a provider, as connect does.
func (s *severalGrants) add(t *testing.T, at int, name, label string) {
	t.Helper()
	ready, _ := s.boxes[at].Authorization().Credential(name)
	token, err := rs.NewBearer(ready.Token)
	if err != nil {
		t.Fatal(err)
	}
	entry := &credential.Entry{
		ProviderURL: s.origins[at].server.URL,
		Credential:  credential.Credential{AccessToken: token, GrantID: ready.GrantID, Label: label},
	}
	if err := s.cache.Add(entry); err != nil {
		t.Fatal(err)
	}
}

// call calls a tool, and returns the text and the structured output as JSON.
func (s *severalGrants) call(t *testing.T, tool string, arguments map[string]any) (text, structured string) {
	t.Helper()
	result, err := s.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	shown := result.Content[0].(*mcp.TextContent).Text
	for _, box := range s.boxes {
		for name, token := range box.Tokens() {
			if strings.Contains(shown+string(content), token) {
				t.Errorf("%s shows the token %s", tool, name)
			}
		}
	}
	return shown, string(content)
}

// readers returns the names of the tokens with which a provider was read since the last call, apart from the schema.
func (s *severalGrants) readers(at int) []string {
	var names []string
	for _, request := range s.origins[at].take() {
		if words := strings.Fields(request); !strings.HasPrefix(words[1], "/v1/schema") {
			names = append(names, words[2])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// serveGrants starts the real program over a grant of personal mail at one provider, and of music and of a team chat at
// another, whose file another tool wrote.
func serveGrants(t *testing.T) *severalGrants {
	t.Helper()
	s := &severalGrants{cache: &credential.Cache{Root: t.TempDir()}}
	for i := range s.boxes {
		s.boxes[i] = newSandbox(t, resource.ReadsV01)
		s.origins[i] = newOrigin(s.boxes[i])
		t.Cleanup(s.origins[i].server.Close)
	}
	s.add(t, 0, "gmail_personal", "mail at home")
	music, _ := s.boxes[1].Authorization().Credential("spotify")
	foreign, err := s.cache.Path(s.origins[1].server.URL)
	if err != nil {
		t.Fatal(err)
	}
	content := fmt.Sprintf(`{"provider_url":%q,"tool":"another","credential":{"access_token":%q,"token_type":"Bearer",`+
		`"grant_id":%q},"created_at":"2026-11-21T11:41:28.052Z"}`,
		s.origins[1].server.URL, music.Token, music.GrantID)
	if err := os.WriteFile(filepath.Clean(foreign), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s.add(t, 1, "slack", "")

	command := exec.CommandContext(context.WithoutCancel(t.Context()), "pdpp-mcp", "stdio", // which ends with its session
		"--provider-url", s.origins[0].server.URL, "--provider-url", s.origins[1].server.URL, "--cache-root", s.cache.Root)
	command.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "test"}, nil)
	if s.session, err = client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.session.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The connections of the grants in these tests.
const (
	homeMail = "cin_gmail_personal"
	workMail = "cin_gmail_work"
	music    = "cin_spotify"
	chat     = "cin_slack_team"
)

// R-LOCAL-1, R-LOCAL-2, R-ERR-8: grants at two providers are one set of sources. A search mixes their hits, each with
// the address of the provider it is from; a record of each is read with its own token; a grant that is revoked in the
// middle is named, and one that is added counts from the next call on.
func TestGrantsAtTwoProviders(t *testing.T) {
	s := serveGrants(t)
	handles := map[string]string{}
	_, found := s.call(t, "search", map[string]any{"q": "barometer", "limit": 10})
	var page struct {
		Results []struct{ ID, URL string }
	}
	if err := json.Unmarshal([]byte(found), &page); err != nil {
		t.Fatal(err)
	}
	for _, hit := range page.Results {
		connection, _, _ := strings.Cut(hit.ID, "/")
		handles[connection] = hit.ID
		provider := s.origins[1].server.URL
		if connection == homeMail {
			provider = s.origins[0].server.URL
		}
		if !strings.HasPrefix(hit.URL, provider+"/v1/") {
			t.Errorf("the hit %s is at %s, not at %s", hit.ID, hit.URL, provider)
		}
	}
	if handles[homeMail] == "" || handles[chat] == "" {
		t.Fatalf("the hits are not mixed: %s", found)
	}
	s.readers(0)
	s.readers(1)
	for _, connection := range []string{homeMail, chat} {
		_, record := s.call(t, "fetch", map[string]any{"id": handles[connection]})
		at, token := 0, "gmail_personal"
		if connection == chat {
			at, token = 1, "slack"
		}
		if !strings.Contains(record, `"url":"`+s.origins[at].server.URL+"/v1/") {
			t.Errorf("the record of %s is not at its provider: %s", connection, record)
		}
		if own, other := s.readers(at), s.readers(1-at); !slices.Equal(own, []string{token}) || other != nil {
			t.Errorf("%s was read with %q, and the other provider with %q", connection, own, other)
		}
	}

	revoked, _ := s.boxes[1].Authorization().Credential("slack")
	if err := s.boxes[1].Authorization().Revoke(revoked.GrantID); err != nil {
		t.Fatal(err)
	}
	line := "pdpp-mcp connect " + s.origins[1].server.URL
	for range 2 {
		text, found := s.call(t, "search", map[string]any{"q": "barometer"})
		for _, says := range []string{"grant_revoked", line} {
			if !strings.Contains(text, says) || !strings.Contains(found, says) {
				t.Errorf("the search does not say %q: %s", says, text)
			}
		}
		if !strings.Contains(found, handles[homeMail]) {
			t.Errorf("the other provider's hits are missing: %s", text)
		}
	}
	text, _ := s.call(t, "schema", map[string]any{})
	for _, says := range []string{homeMail, music, "grant_revoked", line} {
		if !strings.Contains(text, says) {
			t.Errorf("the schema does not say %q: %s", says, text)
		}
	}

	if text, _ := s.call(t, "query_records", map[string]any{
		"stream":        "messages",
		"connection_id": workMail,
	}); !strings.Contains(text, workMail) || strings.Contains(text, "pdpp-mcp connect ") {
		t.Errorf("a connection that no schema shows is refused with %s", text)
	}
	s.add(t, 0, "gmail_both", "")
	if text, _ := s.call(t, "query_records",
		map[string]any{"stream": "messages", "connection_id": workMail, "limit": 1}); !strings.Contains(text,
		workMail+"/messages:") {
		t.Errorf("the same call after another grant gives %s", text)
	}
	if own := s.readers(0); !slices.Contains(own, "gmail_both") {
		t.Errorf("it was read with %q", own)
	}
	s.revokedAgain(t)
}

// revokedAgain revokes the only grant of one of two mailboxes. Answers of the other mailbox name it.
func (s *severalGrants) revokedAgain(t *testing.T) {
	t.Helper()
	both, _ := s.boxes[0].Authorization().Credential("gmail_both")
	if err := s.boxes[0].Authorization().Revoke(both.GrantID); err != nil {
		t.Fatal(err)
	}
	s.call(t, "query_records", map[string]any{"stream": "messages", "connection_id": workMail}) // by which it is noticed
	for name, arguments := range map[string]map[string]any{
		"query_records": {"stream": "messages", "limit": 1},
		"aggregate":     {"stream": "messages", "metric": "count", "filter": map[string]any{"is_seen": true}},
	} {
		text, found := s.call(t, name, arguments)
		for _, says := range []string{
			"source_unavailable", workMail, "grant_revoked",
			"pdpp-mcp connect " + s.origins[0].server.URL,
		} {
			if !strings.Contains(text, says) || !strings.Contains(found, says) {
				t.Errorf("%s over the mail that is left does not say %q: %s", name, says, text)
			}
		}
	}
}

// run runs a command over the cache, and returns what it prints and says.
func (s *severalGrants) run(t *testing.T, words ...string) (printed, stderr string) {
	t.Helper()
	// the output says more than the exit code
	printed, stderr, _ = runProgram(t, nil, append(words, "--cache-root", s.cache.Root)...)
	return printed, stderr
}

// R-LOCAL-1, R-LOCAL-2, R-ERR-3: the commands of a terminal read with every grant of every provider of the cache when
// none is named. Rows name their grant, a blob is read with the one grant that has its connection, and a grant that was
// revoked is named.
func TestCommandsOverEveryGrant(t *testing.T) {
	s := serveGrants(t)
	table, stderr := s.run(t, "streams", "--format", "table")
	for _, each := range []struct{ stream, connection, name string }{
		{"messages", homeMail, "gmail_personal"}, {"play_history", music, "spotify"}, {"chat_messages", chat, "slack"},
	} {
		at := 1
		if each.connection == homeMail {
			at = 0
		}
		ready, _ := s.boxes[at].Authorization().Credential(each.name)
		row := regexp.MustCompile(`(?m)^` + each.stream + ` .* ` + each.connection + ` .* ` + ready.GrantID + ` .*` +
			s.origins[at].server.URL + `$`)
		if !row.MatchString(table) {
			t.Errorf("no row of %s of %s in\n%s%s", each.stream, each.connection, table, stderr)
		}
	}
	one, _ := s.run(t, "streams", "--provider-url", s.origins[0].server.URL, "--format", "table")
	if head, _, _ := strings.Cut(one, "\n"); strings.Contains(head, "grant_id") ||
		strings.Contains(head, "provider_url") || !strings.Contains(head, "connection_id") {
		t.Errorf("the columns of a single grant are %s", head)
	}

	blob, file := sampleBlob(t), filepath.Join(t.TempDir(), "file")
	_, stderr = s.run(t, "blob", blob, "-o", file)
	line := "\n  try: pdpp-mcp blob " + blob + " -o " + file + " --cache-root " + s.cache.Root + " --connection-id "
	for _, says := range []string{
		"ambiguous_connection", homeMail + " (Personal Gmail)", chat + " (Team chat)",
		line + homeMail + "\n", line + chat + "\n",
	} {
		if !strings.Contains(stderr, says) {
			t.Errorf("a blob without its connection does not say %q: %s", says, stderr)
		}
	}
	s.readers(0)
	s.readers(1)
	_, stderr = s.run(t, "blob", blob, "-o", file, "--connection-id", homeMail)
	if content, err := os.ReadFile(filepath.Clean(file)); err != nil || len(content) == 0 {
		t.Errorf("the blob is not saved: %v, %s", err, stderr)
	}
	if own, other := s.readers(0), s.readers(1); !slices.Equal(own, []string{"gmail_personal"}) || other != nil {
		t.Errorf("the blob was read with %q and %q", own, other)
	}

	revoked, _ := s.boxes[1].Authorization().Credential("slack")
	if err := s.boxes[1].Authorization().Revoke(revoked.GrantID); err != nil {
		t.Fatal(err)
	}
	table, stderr = s.run(t, "streams", "--format", "table")
	if !strings.Contains(table, homeMail) || strings.Contains(table, chat) || !strings.Contains(stderr, "grant_revoked") ||
		!strings.Contains(stderr, "pdpp-mcp connect "+s.origins[1].server.URL) {
		t.Errorf("after a revocation streams prints\n%s\nand says %s", table, stderr)
	}
}

// Completion offers what every grant of the cache covers, and the grants themselves.
func TestCompletionOverEveryGrant(t *testing.T) {
	s := serveGrants(t)
	t.Setenv("PDPP_CACHE_ROOT", s.cache.Root)
	complete := func(words ...string) string {
		printed, err := exec.CommandContext(t.Context(), "pdpp-mcp", append([]string{"__complete"}, words...)...).Output()
		if err != nil {
			t.Error(err)
		}
		return string(printed)
	}
	t.Setenv("COMPLETION_DEADLINE", "1m")
	// in the order of the cache's files, which have the ports
	offered := strings.Split(complete("blob", "--connection-id", ""), "\n")
	slices.Sort(offered)
	if want := []string{
		"", ":4", homeMail + "\tPersonal Gmail", chat + "\tTeam chat",
		music + "\tSpotify",
	}; !slices.Equal(offered, want) {
		t.Errorf("offered the connections %q, want %q", offered, want)
	}
	if offered := complete("call", "query_records", "--stream", "ch"); offered != "channels\nchat_messages\n:4\n" {
		t.Errorf("offered the streams %q", offered)
	}
	if offered := complete("call", "query_records", "--stream", "play_history", "--fields",
		"played"); offered != "played_at\n:4\n" {
		t.Errorf("offered the fields %q", offered)
	}
	ready, _ := s.boxes[0].Authorization().Credential("gmail_personal")
	if offered := complete("streams", "--grant-id", ""); !strings.Contains(offered, ready.GrantID+"\tmail at home\n") ||
		strings.Count(offered, "\n") != 4 {
		t.Errorf("offered the grants %q", offered)
	}
	if offered := complete("streams", "--provider-url", s.origins[1].server.URL, "--connection-id",
		"cin_g"); offered != ":4\n" {
		t.Errorf("offered %q of another provider", offered)
	}
}

// A list of grants that is wider than the terminal has a line for each cell, and none is wider than that; elsewhere it
// is a table.
func TestConnectionsOnANarrowTerminal(t *testing.T) {
	s := serveGrants(t)
	shown := onTerminal(t, nil, asStarted, "connections", "--cache-root", s.cache.Root)
	if lines := strings.Split(shown, "\n"); len(lines) != 5 || !strings.HasPrefix(lines[0], "label  ") ||
		strings.Contains(lines[0], "streams") {
		t.Errorf("without the columns that are empty, the table fits; shown is\n%s", shown)
	}
	const narrow = 60
	shown = onNarrowTerminal(t, narrow, nil, asStarted, "connections", "--cache-root", s.cache.Root)
	paragraphs := strings.Split(shown, "\n\n")
	if len(paragraphs) != 3 || strings.Count(shown, "label ") != 3 ||
		!strings.Contains(shown, "\nprovider  "+s.origins[0].server.URL+"\n") ||
		!strings.Contains("\n"+shown, "\nlabel     mail at home\n") {
		t.Errorf("a terminal shows\n%s", shown)
	}
	for line := range strings.Lines(shown) {
		if len(line) > narrow+1 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	if table, _ := s.run(t, "connections"); !strings.HasPrefix(table, "label ") || strings.Count(table, "\n") != 4 {
		t.Errorf("a pipe gets\n%s", table)
	}
}
