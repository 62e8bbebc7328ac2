package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // reads the copies as anybody would

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/e2e/timetest"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/sandbox"
	"github.com/pdppmcp/pdpp-mcp/sandbox/catalog"
	"github.com/pdppmcp/pdpp-mcp/sandbox/resource"
)

// syncing is a provider whose labels change, and a directory for the copies.
type syncing struct {
	t         *testing.T
	box       *sandbox.Sandbox
	provider  *origin
	directory string
	token     string
	made      int // labels so far
}

func newSyncing(t *testing.T, name string) *syncing {
	t.Helper()
	box := newSandbox(t, resource.ReadsV01)
	s := &syncing{t: t, box: box, provider: newOrigin(box), directory: filepath.Join(t.TempDir(), "mine")}
	t.Cleanup(s.provider.server.Close)
	s.token = s.provider.token(t, name)
	return s
}

func (s *syncing) command(ctx context.Context, words ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "pdpp-mcp", append([]string{"sync", s.directory}, words...)...)
	command.Env = append(os.Environ(), reading(s.provider.server.URL, s.token)...)
	return command
}

// run runs the command to its end.
func (s *syncing) run(words ...string) (out, stderr string, code int) {
	s.t.Helper()
	return runProgram(s.t, reading(s.provider.server.URL, s.token), append([]string{"sync", s.directory}, words...)...)
}

// edit writes, rewrites and deletes labels at random.
func (s *syncing) edit(random *rand.Rand) {
	s.t.Helper()
	for range random.IntN(12) {
		key := fmt.Sprintf("made-%d", random.IntN(s.made+3))
		s.made++
		var err error
		if random.IntN(3) == 0 {
			if err = s.box.Store().Delete(s.t.Context(), "cin_gmail_personal", "labels", key); err != nil {
				err = nil // no file has that name
			}
		} else {
			data, encoded := json.Marshal(map[string]any{
				"id": key, "name": fmt.Sprintf("ü %d\n\u2028", random.Int()),
				"is_system": false,
			})
			err = errors.Join(encoded, s.box.Store().Put(s.t.Context(), catalog.Record{
				ConnectionID: "cin_gmail_personal", Stream: "labels", Key: key, Data: data, EmittedAt: time.Unix(int64(s.made), 0),
			}))
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// records returns what the provider has, a line each in the order of their ids.
func (s *syncing) records() string {
	s.t.Helper()
	printed, stderr, code := runProgram(s.t, reading(s.provider.server.URL, s.token),
		"call", "query_records", "labels", "--connection-id", "cin_gmail_personal", "--all", "--limit", "100")
	if code != 0 {
		s.t.Fatal(stderr)
	}
	byID := map[string]string{}
	var ids []string
	for line := range strings.Lines(printed) {
		var record struct{ ID string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			s.t.Fatal(err)
		}
		byID[record.ID] = line
		ids = append(ids, record.ID)
	}
	slices.Sort(ids)
	all := ""
	for _, id := range ids {
		all += byID[id]
	}
	return all
}

func (s *syncing) copied() string {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.directory, "cin_gmail_personal", "labels.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(content)
}

// After each run the copy is what the provider has, to the byte, whatever changed between the runs, and wherever runs
// between were killed. A run that nothing changed reads one page and writes nothing.
func TestSyncFollowsEveryChange(t *testing.T) {
	timetest.WithoutRace(t)
	s := newSyncing(t, "everything")
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	killed := 0
	for round := range 40 {
		s.edit(random)
		if random.IntN(2) == 0 {
			command := s.command(t.Context(), "--stream", "labels")
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			// it may have ended before
			time.AfterFunc(time.Duration(random.IntN(30))*time.Millisecond, func() { _ = command.Process.Kill() })
			if command.Wait() != nil {
				killed++
			}
			s.edit(random)
		}
		if _, stderr, code := s.run("--stream", "labels"); code != 0 || stderr != "" {
			t.Fatalf("seed %d, round %d ended with %d: %s", seed, round, code, stderr)
		}
		if got, want := s.copied(), s.records(); got != want {
			t.Fatalf("seed %d, round %d: the copy is\n%s\nwant\n%s", seed, round, got, want)
		}
		s.holdsOwnFilesOnly()
	}
	s.provider.take()
	out, _, code := s.run("--stream", "labels", "--jq", ".data[0]|[.written,.deleted,.read_anew]")
	// the schema, and the labels of two mailboxes
	if seen := s.provider.take(); code != 0 || out != "[0,0,false]\n" || len(seen) != 3 {
		t.Errorf("a run without changes ended with %d, printed %q and asked %q", code, out, seen)
	}
	t.Logf("%d runs were killed", killed)
}

// holdsOwnFilesOnly checks that nothing is left of killed runs, and that only the owner can read the files.
func (s *syncing) holdsOwnFilesOnly() {
	s.t.Helper()
	err := filepath.WalkDir(s.directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && (info.Mode().Perm()&0o077 != 0 || strings.HasSuffix(path, ".part")) {
			err = fmt.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

// A copy is read again from the beginning if it was edited, or if the provider no longer knows its bookmark.
func TestSyncReadsAgain(t *testing.T) {
	s := newSyncing(t, "everything")
	if _, stderr, code := s.run("--stream", "labels"); code != 0 {
		t.Fatal(stderr)
	}
	file := filepath.Join(s.directory, "cin_gmail_personal", "labels.jsonl")
	if err := os.WriteFile(file, []byte(s.copied()+`{"id":"edited"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, code := s.run("--stream", "labels", "--jq", ".data[0].read_anew")
	if code != 0 || out != "true\n" || s.copied() != s.records() {
		t.Errorf("after an edit it ended with %d and %q", code, out)
	}
	s.provider.forgot.Store(true)
	out, stderr, code := s.run("--stream", "labels", "--jq", ".data[0].read_anew")
	if code != 0 || out != "true\n" || s.copied() != s.records() {
		t.Errorf("after 410 it ended with %d, %q, %q", code, out, stderr)
	}
}

// SQLite reads the files as they are.
func TestSyncedFilesInSQLite(t *testing.T) {
	s := newSyncing(t, "everything")
	if _, stderr, code := s.run("--stream", "messages"); code != 0 {
		t.Fatal(stderr)
	}
	content, err := os.ReadFile(filepath.Join(s.directory, "cin_gmail_personal", "messages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	database, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	var count int
	var subject string
	err = database.QueryRow(
		`WITH line AS (SELECT value FROM json_each('[' || replace(rtrim(?, char(10)), char(10), ',') || ']'))
		SELECT count(*), max(value->>'$.data.subject') FILTER (WHERE value->>'$.id' = 'p-msg-080') FROM line`,
		string(content)).Scan(&count, &subject)
	if err != nil || count != strings.Count(string(content), "\n") ||
		subject != "Your arranged overdraft is 500.00 EUR again" {
		t.Errorf("%d lines, %q, %v", count, subject, err)
	}
}

// After a revocation nothing more is read: one request is refused, no other is made, and the output says what is kept
// where.
func TestSyncEndsWithTheGrant(t *testing.T) {
	s := newSyncing(t, "everything")
	if _, stderr, code := s.run(); code != 0 {
		t.Fatal(stderr)
	}
	before := s.copied()
	credential, _ := s.box.Authorization().Credential("everything")
	if err := s.box.Authorization().Revoke(credential.GrantID); err != nil {
		t.Fatal(err)
	}
	s.provider.take()
	_, stderr, code := s.run()
	if seen := s.provider.take(); len(seen) != 1 || code != invocation.ExitConfiguration || s.copied() != before {
		t.Errorf("ended with %d after %q", code, seen)
	}
	if !strings.Contains(stderr, "Nothing more is read. Kept in "+s.directory+": ") ||
		!strings.Contains(stderr, " records in 25 files.") {
		t.Errorf("said %q", stderr)
	}
}

// R-LOCAL-1: every grant of the cache is read, each with its own token, and is named in the account. An ended one is
// reported, its copies stay, and the others are brought up to date.
func TestSyncReadsAllGrants(t *testing.T) {
	s := newSyncing(t, "gmail_personal")
	s.token = "" // from the cache
	several := &severalGrants{cache: &credential.Cache{Root: t.TempDir()}}
	several.boxes[0], several.origins[0] = s.box, s.provider
	several.add(t, 0, "gmail_personal", "")
	several.add(t, 0, "slack", "chat")
	each := []string{"--cache-root", several.cache.Root, "--jq", "[.data[].connection_id]|unique|join(\" \")"}
	if out, stderr, code := s.run(each...); code != 0 || out != "cin_gmail_personal cin_slack_team\n" {
		t.Fatalf("ended with %d, %q: %s", code, out, stderr)
	}
	for _, asked := range s.provider.take() {
		_, query, _ := strings.Cut(asked, "connection_id=")
		if strings.HasPrefix(query, "cin_slack") != strings.HasSuffix(asked, " slack") && query != "" {
			t.Errorf("another token was sent with %s", asked)
		}
	}
	chat, _ := s.box.Authorization().Credential("slack")
	account, err := os.ReadFile(several.cache.ActivityPath())
	if err != nil || !strings.Contains(string(account), chat.GrantID) {
		t.Errorf("the account does not name %s: %v", chat.GrantID, err)
	}

	if err := s.box.Authorization().Revoke(chat.GrantID); err != nil {
		t.Fatal(err)
	}
	s.edit(rand.New(rand.NewPCG(1, 0)))
	out, stderr, code := s.run(each...)
	left := "no longer granted, and kept: " + filepath.Join(s.directory, "cin_slack_team", "chat_messages.jsonl")
	if code != invocation.ExitConfiguration || out != "cin_gmail_personal\n" || !strings.Contains(stderr, left) ||
		!strings.Contains(stderr, "grant chat: resource server answered 403 grant_revoked") {
		t.Errorf("after a revocation it ended with %d, %q: %s", code, out, stderr)
	}
	if _, stderr, code := s.run(append(each, "--grant-id", "chat")...); code != invocation.ExitConfiguration ||
		!strings.Contains(stderr, "Nothing more is read. Kept in ") {
		t.Errorf("the ended grant alone ended with %d: %s", code, stderr)
	}
}

// What the grant no longer covers stays, and is named. Names of a provider stay below the directory.
func TestSyncNamesWhatIsLeft(t *testing.T) {
	s := newSyncing(t, "everything")
	if _, stderr, code := s.run("--stream", "labels"); code != 0 {
		t.Fatal(stderr)
	}
	hostile := httptest.NewServer(
		&listeningRS{schema: `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[{"object":"connector",
		"connector_key":"mail","connector_id":"mail","stream_count":1,"streams":[{"name":"../../out"}],
		"granted_connections":[{"connection_id":"..","display_name":"x"}]}]}`})
	defer hostile.Close()
	real := s.provider.server
	s.provider.server = hostile
	_, stderr, code := s.run()
	s.provider.server = real
	if code == 0 || !strings.Contains(stderr,
		"no longer granted, and kept: "+filepath.Join(s.directory, "cin_gmail_personal", "labels.jsonl")) {
		t.Errorf("ended with %d and said %q", code, stderr)
	}
	entries, err := os.ReadDir(filepath.Dir(s.directory))
	if err != nil || len(entries) != 1 {
		t.Errorf("next to the directory is %v, %v", entries, err)
	}
}
