package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// killing is a handler in front of a provider that kills a process once with SIGKILL.
type killing struct {
	inner  http.Handler
	at     int           // the request at which it kills, from 1
	answer bool          // send the answer first
	after  time.Duration // delay before the kill

	mu     sync.Mutex
	seen   []string
	victim *os.Process
}

func (k *killing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	k.seen = append(k.seen, r.URL.Path)
	count := len(k.seen)
	victim := k.victim
	k.mu.Unlock()
	switch {
	case count < k.at:
		k.inner.ServeHTTP(w, r)
		return
	case count > k.at: // it was faster than the kill, and gets no answer
		<-r.Context().Done()
		return
	}
	if k.answer {
		k.inner.ServeHTTP(w, r)
		time.AfterFunc(k.after, func() { _ = victim.Kill() }) // it may have ended before
		return
	}
	_ = victim.Kill()
	panic(http.ErrAbortHandler) // the client is dead
}

// requests returns the paths that were asked. One may still come in after the process has ended.
func (k *killing) requests() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.seen)
}

// signInRequests is the number of requests of the captured sign-in: the provider's metadata, the server's,
// registration, pushed request, agent connect, one poll, which returns the token, and the schema, which tries it.
const signInRequests = 7

// Covers R-STDIO-2: the command is killed at each step of a sign-in, and at several moments after the last answer,
// while it writes. The cache is unchanged, to the byte, or has the new grant before the old one, and the next change
// succeeds.
func TestConnectIsKilled(t *testing.T) {
	for step := 1; step <= signInRequests; step++ {
		t.Run(fmt.Sprintf("at request %d", step), func(t *testing.T) {
			t.Parallel() // mostly waits for polls
			connectAndKill(t, &killing{at: step}, false)
		})
	}
	t.Run("after the token", func(t *testing.T) {
		t.Parallel()
		connectAndKill(t, &killing{at: signInRequests - 1, answer: true}, false)
	})
	for round := range 12 {
		t.Run(fmt.Sprintf("while it writes, %d", round+1), func(t *testing.T) {
			t.Parallel()
			connectAndKill(t, &killing{at: signInRequests, answer: true, after: rand.N(4 * time.Millisecond)}, true)
		})
	}
}

// connectAndKill connects to a provider with a stored grant while killer runs. MayStore is whether the command may have
// stored the new grant.
func connectAndKill(t *testing.T, killer *killing, mayStore bool) {
	t.Helper()
	provider := playedProvider(t, capturedSignIn(), func(captured http.Handler) http.Handler {
		killer.inner = captured
		return killer
	})
	cache := &credential.Cache{Root: t.TempDir()}
	path, before := storeOld(t, cache, provider.URL)
	command := connecting(t, provider.URL, cache.Root)
	killer.mu.Lock() // answers no request before the process is known
	err := command.Start()
	killer.victim = command.Process
	killer.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	killed := command.Wait() != nil
	if seen := killer.requests(); len(seen) < killer.at || !killed && !mayStore {
		t.Fatalf("killed: %t, after %v", killed, seen)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	stored := heldGrants(t, cache, provider.URL)
	switch {
	case string(content) == before && (killed || !mayStore):
	case mayStore && stored == playedGrant+" grt_old":
	default:
		t.Errorf("killed: %t; the cache holds %s:\n%s", killed, stored, content)
	}
	if err := cache.Add(newGrant(t, provider.URL)); err != nil {
		t.Fatalf("the next change: %v", err)
	}
	if stored := heldGrants(t, cache, provider.URL); stored != playedGrant+" grt_old" {
		t.Errorf("after the next change the cache holds %s", stored)
	}
}

// storeOld stores a grant of an earlier sign-in, with a member of another tool.
func storeOld(t *testing.T, cache *credential.Cache, provider string) (path, content string) {
	t.Helper()
	path, err := cache.Path(provider)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	content = `{"provider_url":"` + provider +
		`","note":"of another tool","credential":{"access_token":"old-token-of-a-test","grant_id":"grt_old"}}`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, content
}

// newGrant returns the entry of the next sign-in.
func newGrant(t *testing.T, provider string) *credential.Entry {
	t.Helper()
	token, err := rs.NewBearer("next-token-of-a-test")
	if err != nil {
		t.Fatal(err)
	}
	return &credential.Entry{
		ProviderURL: provider,
		Credential:  credential.Credential{AccessToken: token, GrantID: playedGrant},
	}
}

func heldGrants(t *testing.T, cache *credential.Cache, provider string) string {
	t.Helper()
	grants, err := cache.Grants(provider)
	if err != nil {
		t.Fatal(err)
	}
	var held []string
	for _, entry := range grants {
		held = append(held, entry.Credential.GrantID)
	}
	return strings.Join(held, " ")
}
