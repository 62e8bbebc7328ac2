package membership_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/membership"
)

// R-LOCAL-2, R-STDIO-2, R-STDIO-3: a provider without usable grants is missing if others
// can be read, and is named with what gets it back. Without any usable grant, with an owner's, and when the grants were
// named, nothing is served.
func TestAProviderWithoutAUsableGrant(t *testing.T) {
	good := newServer(t, map[string][]string{bearerOf("a"): {"cin_a"}})
	spent := newServer(t, nil)
	cache := &credential.Cache{Root: t.TempDir()}
	expired := func(e *credential.Entry) { e.Credential.ExpiresAt = now.Add(-time.Second) }
	add(t, cache, good.URL, "a")
	add(t, cache, spent.URL, "b", approved("cin_b"), expired)
	add(t, cache, spent.URL, "c", expired, func(e *credential.Entry) { e.Credential.Label = "old mail" })
	const never = "https://never.example"

	served := serve(t, membership.Options{Cache: cache, Providers: []string{spent.URL, never, good.URL}})
	for range 2 {
		hits, missing := search(t, served)
		wantHits(t, hits, "cin_a")
		if !strings.Contains(missing["grant_expired"], "pdpp-mcp connect "+spent.URL) ||
			!strings.Contains(missing["credential_missing"], "pdpp-mcp connect "+never) {
			t.Errorf("missing: %v", missing)
		}
	}
	if asked := spent.asked(); asked != nil {
		t.Errorf("expired grants were used: %q", asked)
	}
	spent.grants = map[string][]string{bearerOf("c"): {"cin_c"}}
	add(t, cache, spent.URL, "c")
	if hits, _ := search(t, served); len(hits) != 2 {
		t.Errorf("after a grant was approved again there are the hits %q", hits)
	}

	add(t, cache, spent.URL, "c", expired)
	owners, err := cache.Path("https://owner.example")
	if err != nil {
		t.Fatal(err)
	}
	const content = `{"provider_url":"https://owner.example","credential":{"access_token":"owner-bearer-of-a-test",` +
		`"role":"owner"}}`
	if err := os.WriteFile(owners, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string]membership.Options{
		"an owner's": {Providers: []string{good.URL, "https://owner.example"}},
		"alone":      {Providers: []string{spent.URL}},
		"none":       {Providers: []string{spent.URL, never}},
		"of names":   {Providers: []string{good.URL, spent.URL}, Grants: []string{"grt_a"}},
	} {
		options.Cache, options.Now = cache, func() time.Time { return now }
		var refused *credential.Error
		if _, err := membership.New(t.Context(), options); !errors.As(err, &refused) ||
			refused.Class != credential.Configuration && name != "an owner's" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
