package membership_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/membership"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// A single grant is read directly. Its kind is asked for once during the handshake. Answers name the grant for the
// audit log (R-OPS-2).
func TestOneGrant(t *testing.T) {
	provider := newServer(t, map[string][]string{bearerOf("a"): {"cin_a", "cin_b"}})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, provider.URL, "a")
	served := serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL}})
	served.Begin()
	search(t, served)
	search(t, served)
	env, err := served.Environment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answered, err := env.RS.Get(t.Context(), rs.Request{Path: "/v1/search"})
	if err != nil || !slices.Equal(answered.GrantIDs, []string{"grt_a"}) {
		t.Errorf("an answer is of the grants %v, %v", answered, err)
	}
	want := []string{
		bearerOf("a") + " /v1/schema?view=compact", bearerOf("a") + " /v1/search",
		bearerOf("a") + " /v1/search?q=x&limit=10", bearerOf("a") + " /v1/search?q=x&limit=10",
	}
	if diff := cmp.Diff(want, provider.asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// R-LOCAL-1: several grants are one set of sources. Nothing is asked before a call, each bearer's kind is asked once
// before its first use, and a grant whose connections the cache knows is asked for nothing else.
func TestSeveralGrants(t *testing.T) {
	provider := newServer(t, map[string][]string{
		bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b", "cin_c"},
		bearerOf("d"): {"cin_d"},
	})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, provider.URL, "d", approved("cin_d"))
	add(t, cache, provider.URL, "b")
	add(t, cache, provider.URL, "a", approved("cin_a"))
	served := serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL}})
	served.Begin()
	if asked := provider.asked(); asked != nil {
		t.Errorf("asked before a call: %q", asked)
	}
	for range 2 {
		hits, missing := search(t, served)
		wantHits(t, hits, "cin_a", "cin_b", "cin_c", "cin_d")
		if len(missing) > 0 {
			t.Errorf("missing: %v", missing)
		}
	}
	schemas := 0
	for _, each := range provider.asked() {
		if strings.Contains(each, "/v1/schema") {
			schemas++
		}
	}
	if schemas != 3 {
		t.Errorf("%d schemas were asked, want one of each grant", schemas)
	}
	env, err := served.Environment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id := "cin_d"
	if _, err := env.RS.Get(t.Context(),
		rs.Request{
			Path:    "/v1/streams/messages/records",
			Sources: rs.OneSource{Stream: "messages", ConnectionID: &id},
		}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{bearerOf("d") + " /v1/streams/messages/records"}, provider.asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// A blob is read from one source, with one grant or several.
func TestBytesOfOneSource(t *testing.T) {
	provider := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b"}})
	cache := &credential.Cache{Root: t.TempDir()}
	served := func() *membership.Membership {
		return serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL}})
	}
	for _, grant := range []string{"a", "b"} {
		add(t, cache, provider.URL, grant)
		env, err := served().Environment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		provider.asked()
		id := "cin_" + grant
		download, err := env.RS.(rs.Opener).Open(t.Context(),
			rs.Request{Path: "/v1/blobs/1", Sources: rs.OneSource{Stream: "messages", ConnectionID: &id}}, rs.Resume{})
		if err != nil {
			t.Fatal(err)
		}
		_ = download.Body.Close()
		if diff := cmp.Diff([]string{bearerOf(grant) + " /v1/blobs/1"}, provider.asked()); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	}
}

// The cache has the hour of a grant's last use, also if the server runs for days.
func TestUseIsNotedEachHour(t *testing.T) {
	provider := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, provider.URL, "a")
	clock := now
	served, err := membership.New(t.Context(),
		membership.Options{Cache: cache, Providers: []string{provider.URL}, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ at, want time.Duration }{
		{0, 0},
		{59 * time.Minute, 0},
		{time.Hour, time.Hour},
		{30 * time.Hour, 30 * time.Hour},
	} {
		clock = now.Add(step.at)
		search(t, served)
		served.Settle(t.Context()) // which waits for what is noted
		grants, err := cache.Grants(provider.URL)
		if err != nil {
			t.Fatal(err)
		}
		if noted := grants[0].Credential.LastUsedAt; !noted.Equal(now.Add(step.want)) {
			t.Errorf("after %s the last use is %s, want %s", step.at, noted, now.Add(step.want))
		}
	}
}

// R-LOCAL-2: a grant that has expired, one that is revoked in the middle and one whose provider is away cost their
// sources, are named with why and with what gets them back, and no bearer is shown.
func TestUnusableGrants(t *testing.T) {
	provider := newServer(t, map[string][]string{
		bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b"},
		bearerOf("c"): {"cin_c"},
	})
	away := newServer(t, map[string][]string{bearerOf("away"): {"cin_away"}})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, away.URL, "away")
	add(t, cache, provider.URL, "c", approved("cin_c"),
		func(e *credential.Entry) { e.Credential.ExpiresAt = now.Add(-time.Second) })
	add(t, cache, provider.URL, "b", func(e *credential.Entry) { e.Credential.Label = "second mail" })
	add(t, cache, provider.URL, "a")
	served := serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL, away.URL}})
	hits, missing := search(t, served)
	wantHits(t, hits, "cin_a", "cin_b", "cin_away")
	line := "pdpp-mcp connect " + provider.URL +
		" --source https://registry.pdpp.dev/connectors/gmail --connection cin_c --stream messages --cache-root " + cache.Root
	if len(missing) != 1 || !strings.Contains(missing["grant_expired"], line) {
		t.Errorf("missing: %v, want the line %s", missing, line)
	}
	provider.end(bearerOf("b"), "grant_revoked")
	away.Close()
	for range 2 {
		hits, missing = search(t, served)
		wantHits(t, hits, "cin_a")
		if len(missing) != 3 || !strings.Contains(missing["grant_revoked"],
			"pdpp-mcp connect "+provider.URL+" --label 'second mail'") || missing["rs_unreachable"] == "" {
			t.Errorf("missing: %v", missing)
		}
		if text := fmt.Sprint(missing); strings.Contains(text, "-bearer-of-a-test") {
			t.Errorf("a bearer is shown: %s", text)
		}
	}
	provider.asked()
	search(t, served)
	if asked := provider.asked(); slices.ContainsFunc(asked,
		func(each string) bool { return strings.Contains(each, bearerOf("b")) }) {
		t.Errorf("a revoked grant was asked: %q", asked)
	}
}

// What another process does to the cache counts from the next call on: a grant that is added, one that is taken away,
// the file of another tool, and none at all.
func TestTheCacheChangesWhileServing(t *testing.T) {
	provider := newServer(t, map[string][]string{
		bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b"},
		bearerOf("other"): {"cin_other"},
	})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, provider.URL, "a")
	served := serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL}})
	hits, _ := search(t, served)
	wantHits(t, hits, "cin_a")
	add(t, cache, provider.URL, "b")
	hits, _ = search(t, served)
	wantHits(t, hits, "cin_b", "cin_a")
	if _, err := cache.Remove(provider.URL, "grt_a"); err != nil {
		t.Fatal(err)
	}
	hits, _ = search(t, served)
	wantHits(t, hits, "cin_b")
	if _, err := cache.Remove(provider.URL, ""); err != nil {
		t.Fatal(err)
	}
	var refused *tool.Error
	if _, err := served.Environment(t.Context()); !errors.As(err, &refused) ||
		!strings.Contains(refused.Message, "run: pdpp-mcp connect "+provider.URL) {
		t.Errorf("without a credential the error is %v", err)
	}
	add(t, cache, provider.URL, "other")
	hits, _ = search(t, served)
	wantHits(t, hits, "cin_other")
}

// R-STDIO-3: a bearer of a forbidden kind ends the use of all grants before any other read with it.
func TestAnOwnersBearer(t *testing.T) {
	provider := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}, bearerOf("owner"): {"cin_owner"}})
	provider.kinds[bearerOf("owner")] = "owner"
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, provider.URL, "a", approved("cin_a"))
	add(t, cache, provider.URL, "owner", approved("cin_owner"))
	served := serve(t, membership.Options{Cache: cache, Providers: []string{provider.URL}})
	search(t, served)
	<-served.Refused()
	if refusal := served.Settle(t.Context()); refusal == nil || refusal.TokenKind != "owner" {
		t.Errorf("the refusal is %v", refusal)
	}
	var refusal *admission.Refusal
	if _, err := served.Environment(t.Context()); !errors.As(err, &refusal) {
		t.Errorf("the next call gives %v", err)
	}
	for _, asked := range provider.asked() {
		if strings.HasPrefix(asked, bearerOf("owner")) && !strings.Contains(asked, "/v1/schema") {
			t.Errorf("the owner's bearer read %s", asked)
		}
	}
}

// R-LOCAL-1: two providers with one connection id are refused by name, at the start if the cache has both, or else at
// the first call.
func TestOneConnectionOfTwoProviders(t *testing.T) {
	for name, known := range map[string][]func(*credential.Entry){
		"by the cache":  {approved("cin_a")},
		"by the schema": nil,
	} {
		t.Run(name, func(t *testing.T) {
			one := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}})
			two := newServer(t, map[string][]string{bearerOf("b"): {"cin_a"}})
			cache := &credential.Cache{Root: t.TempDir()}
			add(t, cache, one.URL, "a", known...)
			add(t, cache, two.URL, "b", known...)
			served, err := membership.New(t.Context(), membership.Options{Cache: cache, Providers: []string{one.URL, two.URL}})
			if known == nil {
				if err != nil {
					t.Fatal(err)
				}
				_, err = served.Environment(context.Background())
			}
			var refused *credential.Error
			if !errors.As(err, &refused) || refused.Class != credential.Configuration {
				t.Fatalf("the error is %v", err)
			}
			for _, says := range []string{one.URL, two.URL, "cin_a", "--provider-url"} {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
		})
	}
}

// Names select grants of all providers. An unknown name is refused.
func TestNamedGrants(t *testing.T) {
	one := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b"}})
	two := newServer(t, map[string][]string{bearerOf("c"): {"cin_c"}, bearerOf("d"): {"cin_d"}})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, one.URL, "a")
	add(t, cache, one.URL, "b", func(e *credential.Entry) { e.Credential.Label = "work" })
	add(t, cache, two.URL, "c")
	add(t, cache, two.URL, "d")
	options := membership.Options{Cache: cache, Providers: []string{one.URL, two.URL}, Grants: []string{"work", "grt_c"}}
	hits, _ := search(t, serve(t, options))
	wantHits(t, hits, "cin_b", "cin_c")
	for _, names := range [][]string{{"work", "grt_c", "grt_none"}, {"work"}} {
		options.Grants = names
		var refused *credential.Error
		if _, err := membership.New(t.Context(), options); !errors.As(err, &refused) ||
			refused.Class != credential.Configuration {
			t.Errorf("%q gives %v", names, err)
		}
	}
}

// R-LOCAL-4: a connection that no grant has is asked for at the only connector that grants such a stream. Where two do,
// the owner chooses.
func TestWhatNoGrantCoversIsAskedFor(t *testing.T) {
	one := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b"}})
	two := newServer(t, map[string][]string{bearerOf("c"): {"cin_c"}})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, one.URL, "a", approved("cin_a"))
	add(t, cache, one.URL, "b", approved("cin_b"))
	add(t, cache, two.URL, "c")
	providers := []string{one.URL, two.URL}
	wanted := tool.Uncovered{ConnectionID: "cin_else", Stream: "messages"}
	line := func() string {
		env, err := serve(t, membership.Options{Cache: cache, Providers: providers}).Environment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return env.Connect(wanted)
	}
	if got := line(); !strings.Contains(got,
		one.URL+" --source https://registry.pdpp.dev/connectors/gmail --connection cin_else --stream messages") {
		t.Errorf("the line is %s", got)
	}
	add(t, cache, two.URL, "c", approved("cin_c"))
	if got := line(); !strings.Contains(got, "<provider-url>") || strings.Contains(got, "--source") {
		t.Errorf("with two connectors the line is %s", got)
	}
}

// R-LOCAL-4: the refusal of a grant that has ended names the command that requests the same again, also if the call
// names no connection and other grants are well.
func TestAnEndedGrantIsRequestedAgain(t *testing.T) {
	server := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}, bearerOf("b"): {"cin_b"}})
	cache := &credential.Cache{Root: t.TempDir()}
	add(t, cache, server.URL, "a", approved("cin_a"))
	add(t, cache, server.URL, "b", approved("cin_b"))
	env, err := serve(t, membership.Options{Cache: cache, Providers: []string{server.URL}}).Environment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server.end(bearerOf("b"), "grant_revoked")
	connection := "cin_b"
	_, err = env.RS.Get(t.Context(), rs.Request{
		Path: "/v1/streams/messages/records", Sources: rs.OneSource{Stream: "messages", ConnectionID: &connection},
	})
	ended, hasEnded := errors.AsType[*tool.SignInError](err)
	if !hasEnded || !strings.Contains(ended.Command, "--source https://registry.pdpp.dev/connectors/gmail --connection cin_b") {
		t.Errorf("the refusal is %v, with %+v", err, ended)
	}
}

// R-CLAIM-2: a call knows the limits of every grant that it may read.
func TestLimitsOfTheGrants(t *testing.T) {
	server := newServer(t, map[string][]string{bearerOf("first"): {"cin_1"}, bearerOf("second"): {"cin_2"}})
	cache := &credential.Cache{Root: t.TempDir()}
	for name, since := range map[string]string{"first": "2026-01-10T00:00:00Z", "second": "2026-02-10T00:00:00Z"} {
		add(t, cache, server.URL, name, func(entry *credential.Entry) {
			entry.Credential.Details = []byte(`[{"streams":[{"name":"messages","time_constraint":{"since":"` + since + `"}}]}]`)
		})
	}
	m, err := membership.New(t.Context(), membership.Options{Cache: cache, Providers: []string{server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	env, err := m.Environment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, each := range env.Granted {
		known[each.GrantID] = each.Since.Format(time.DateOnly)
	}
	if diff := cmp.Diff(map[string]string{"grt_first": "2026-01-10", "grt_second": "2026-02-10"}, known); diff != "" {
		t.Error(diff)
	}
}
