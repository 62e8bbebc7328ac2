package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// R-LOCAL-2: every grant of the provider is examined after the first one, which has all checks. An expired or revoked
// grant has the command that requests it again.
func TestEveryGrantIsExamined(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	inner := answers(server, healthy())
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer revoked") {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"error":{"type":"permission_error","code":"grant_revoked","message":"Grant was revoked"}}`))
			return
		}
		inner.ServeHTTP(w, r)
	})
	server.Start()
	defer server.Close()
	cache, asked := cached(t, server.URL)
	store(t, cache, server.URL, "good", credential.Credential{GrantID: "grt_good", Label: "work mail"})
	store(t, cache, server.URL, "revoked", credential.Credential{GrantID: "grt_revoked"})
	store(t, cache, server.URL, "expired",
		credential.Credential{GrantID: "grt_expired", Label: "old", ExpiresAt: time.Now().Add(-day)})
	store(t, cache, server.URL, "first", credential.Credential{GrantID: "grt_first"})
	results, order := examined(t, asked)
	want(t, results, "credential", doctor.OK, "", "grant grt_first")
	want(t, results, "grant_grt_good", doctor.OK, "", "grant work mail (grt_good), no expiry, 2 connections, 2 streams")
	want(t, results, "grant_grt_expired", doctor.Failed, credential.Configuration, "grant old (grt_expired) expired at")
	want(t, results, "grant_grt_revoked", doctor.Failed, credential.Configuration, "grant_revoked")
	if fix := results["grant_grt_expired"].Fix; fix != "pdpp-mcp connect "+server.URL+
		" --label old --cache-root "+cache.Root {
		t.Errorf("the fix is %q", fix)
	}
	if last := order[len(order)-4:]; last[0] != "grant_grt_expired" || last[2] != "grant_grt_good" {
		t.Errorf("the order ends in %q", last)
	}
	server.Config.Handler = http.NotFoundHandler()
	results, _ = examined(t, asked)
	want(t, results, "grant_grt_good", doctor.Skipped, "", "grant work mail (grt_good), no expiry; needs Token kind")
	want(t, results, "grant_grt_expired", doctor.Failed, credential.Configuration, "grant old (grt_expired) expired at")
	server.Config.Handler = inner
	asked.Grants = []string{"work mail"}
	if results, _ := examined(t, asked); results["grant_grt_revoked"].ID != "" {
		t.Error("a grant that was not named is examined")
	}
}

// R-LOCAL-2: without a provider URL every provider of the cache is examined, and the machine once. Unusable files and
// grants that have all expired are reported too.
func TestEveryProviderIsExamined(t *testing.T) {
	cache, asked := cached(t, "")
	good, gone := provider(t, healthy()).URL, provider(t, healthy()).URL
	store(t, cache, good, "good", credential.Credential{GrantID: "grt_good"})
	store(t, cache, gone, "old", credential.Credential{GrantID: "grt_old", ExpiresAt: time.Now().Add(-day)})
	store(t, cache, gone, "older", credential.Credential{GrantID: "grt_older", ExpiresAt: time.Now().Add(-day)})
	if err := os.WriteFile(filepath.Join(cache.Root, "clients", "broken.json"), []byte(`{"provider_url":"`),
		0o600); err != nil {
		t.Fatal(err)
	}
	failures := func(asked doctor.Options) string {
		var failed []string
		doctor.Examine(t.Context(), asked, func(result doctor.Result) {
			if result.State == doctor.Failed {
				failed = append(failed, result.ID+" of "+result.Provider)
			}
		})
		return strings.Join(failed, ", ")
	}
	if want := "credential of " + gone + ", grant_grt_old of " + gone + ", cache_file of "; failures(asked) != want {
		t.Errorf("%s failed, want %s", failures(asked), want)
	}
	results, order := examined(t, asked)
	want(t, results, "environment", doctor.OK, "", "")
	want(t, results, "cache_file", doctor.Failed, credential.Configuration, "broken.json is malformed")
	if count := strings.Count(strings.Join(order, " "), "environment"); count != 1 {
		t.Errorf("the environment is examined %d times", count)
	}
	asked.Grants = []string{"grt_good"}
	if failed := failures(asked); failed != "cache_file of " {
		t.Errorf("of the good grant failed %s", failed)
	}
	asked.Grants = []string{"grt_good", "grt_none"}
	results, _ = examined(t, asked)
	want(t, results, "provider_url", doctor.Failed, credential.Configuration, `unknown grant "grt_none"; stored: `)
}

// R-LOCAL-5: an expired token that the next read renews needs no fix. doctor does not renew it or send it: it reads
// with another grant, or not at all.
func TestRenewedTokens(t *testing.T) {
	server := provider(t, healthy())
	cache, asked := cached(t, server.URL)
	store(t, cache, server.URL, "lasting", credential.Credential{GrantID: "grt_lasting"})
	store(t, cache, server.URL, "spent", credential.Credential{
		GrantID: "grt_spent", ExpiresAt: time.Now().Add(-day), RefreshToken: rs.NewSecret("refresh-token-of-a-test"),
	})
	results, _ := examined(t, asked)
	want(t, results, "credential", doctor.OK, "", "grant grt_lasting")
	want(t, results, "schema", doctor.OK, "", "2 streams")
	want(t, results, "grant_grt_spent", doctor.Note, "", "the next read renews it")
	asked.Grants = []string{"grt_spent"}
	results, _ = examined(t, asked)
	want(t, results, "credential", doctor.Note, "", "grant grt_spent, its token expired at")
	want(t, results, "token_kind", doctor.Skipped, "", "the next read renews it")
	want(t, results, "schema", doctor.Skipped, "", "needs Token kind")
}

// R-LOCAL-2: each unusable file of the cache is reported.
func TestEveryBrokenFileIsNamed(t *testing.T) {
	cache, asked := cached(t, "")
	store(t, cache, provider(t, healthy()).URL, "good", credential.Credential{GrantID: "grt_good"})
	for _, name := range []string{"a.json", "b.json"} {
		if err := os.WriteFile(filepath.Join(cache.Root, "clients", name), []byte(`{"provider_url":"`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	doctor.Examine(t.Context(), asked, func(result doctor.Result) {
		if result.ID == "cache_file" && result.State == doctor.Failed {
			said = append(said, result.Detail)
		}
	})
	if len(said) != 2 || !strings.Contains(said[0], "a.json") || !strings.Contains(said[1], "b.json") {
		t.Errorf("of the broken files it says %q", said)
	}
}
