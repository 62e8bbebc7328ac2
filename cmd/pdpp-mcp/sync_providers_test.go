package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// R-LOCAL-1: sync reads the grants of every provider of the cache, a stream at the one that has it. What was copied of
// a provider or a grant that is not asked is not called ended. Copies of one connection of two providers would be the
// same files, so they are refused with the lines that keep them apart; a provider without a usable credential does not
// keep others from their copies.
func TestSyncReadsEveryProvider(t *testing.T) {
	s := serveGrants(t)
	directory := filepath.Join(t.TempDir(), "mine")
	synced := func(words ...string) (connections []string, stderr string) {
		printed, stderr := s.run(t,
			append([]string{"sync", directory, "--jq", "[.data[].connection_id]|unique|.[]"}, words...)...)
		return strings.Fields(printed), stderr
	}
	everything := []string{homeMail, chat, music}
	for _, each := range []struct{ words, want []string }{
		{nil, everything},
		{[]string{"--stream", "play_history"}, []string{music}},
		{[]string{"--provider-url", s.origins[0].server.URL}, []string{homeMail}},
		{[]string{"--grant-id", "mail at home"}, []string{homeMail}},
	} {
		if found, stderr := synced(each.words...); !slices.Equal(found, each.want) || stderr != "" {
			t.Errorf("sync %q copied %q and said %s", each.words, found, stderr)
		}
	}

	s.add(t, 1, "gmail_personal", "")
	found, stderr := synced("--stream", "messages")
	if len(found) > 0 || !strings.Contains(stderr, "both have the connection "+homeMail) {
		t.Errorf("a connection of two providers: copied %q and said %s", found, stderr)
	}
	for _, each := range s.origins {
		_, host, _ := strings.Cut(each.server.URL, "://")
		line := "try: pdpp-mcp sync " + directory + "-" + strings.ReplaceAll(host, ":", "_") +
			" --cache-root " + s.cache.Root + " --jq '[.data[].connection_id]|unique|.[]' --stream messages --provider-url " +
			each.server.URL + "\n"
		if !strings.Contains(stderr, line) {
			t.Errorf("not said: %s\nbut %s", line, stderr)
		}
	}
	if found, stderr := synced("--stream", "play_history"); !slices.Equal(found, []string{music}) {
		t.Errorf("a stream of one of them: copied %q and said %s", found, stderr)
	}

	ready, _ := s.boxes[0].Authorization().Credential("gmail_personal")
	_, err := s.cache.Change(s.origins[0].server.URL, ready.GrantID,
		func(entry *credential.Entry, write func() error) error {
			entry.Credential.ExpiresAt = time.Now().Add(-time.Hour)
			return write()
		})
	if err != nil {
		t.Fatal(err)
	}
	found, stderr = synced()
	if !slices.Equal(found, everything) ||
		!strings.Contains(stderr, "the cached credential for "+s.origins[0].server.URL+" expired at ") {
		t.Errorf("with an expired one: copied %q and said %s", found, stderr)
	}
}
