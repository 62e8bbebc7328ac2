package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/doctor"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// R-LOCAL-2: every grant of the provider is examined, after the one that has all checks. One that has expired or was revoked is
// named with the command that has it approved once more.
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
	cache := &credential.Cache{Root: t.TempDir()}
	for _, each := range []struct {
		name, label string
		ends        time.Time
	}{{"good", "work mail", time.Time{}}, {"revoked", "", time.Time{}}, {"expired", "old", time.Now().Add(-day)}, {"first", "", time.Time{}}} {
		token, err := rs.NewBearer(each.name + "-token-of-a-test")
		if err != nil {
			t.Fatal(err)
		}
		entry := &credential.Entry{ProviderURL: server.URL, Credential: credential.Credential{
			AccessToken: token, GrantID: "grt_" + each.name, Label: each.label, ExpiresAt: each.ends,
		}}
		if err := cache.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	asked := options(server.URL)
	asked.Token, asked.CacheRoot = nil, cache.Root
	results, order := examined(t, asked)
	want(t, results, "credential", doctor.OK, "", "grant grt_first")
	want(t, results, "grant_grt_good", doctor.OK, "", "grant grt_good (work mail), no end known, 2 connections, 2 streams")
	want(t, results, "grant_grt_expired", doctor.Failed, credential.Configuration, "grant grt_expired (old) expired at")
	want(t, results, "grant_grt_revoked", doctor.Failed, credential.Configuration, "grant_revoked")
	if mend := results["grant_grt_expired"].Mend; mend != "pdpp-mcp connect "+server.URL+" --label old --cache-root "+cache.Root {
		t.Errorf("mended by %q", mend)
	}
	if last := order[len(order)-4:]; last[0] != "grant_grt_expired" || last[2] != "grant_grt_good" {
		t.Errorf("the order ends in %q", last)
	}
	server.Config.Handler = http.NotFoundHandler()
	results, _ = examined(t, asked)
	want(t, results, "grant_grt_good", doctor.Skipped, "", "grant grt_good (work mail), no end known; needs token_kind")
	want(t, results, "grant_grt_expired", doctor.Failed, credential.Configuration, "grant grt_expired (old) expired at")
	server.Config.Handler = inner
	asked.Grants = []string{"work mail"}
	if results, _ := examined(t, asked); results["grant_grt_revoked"].ID != "" {
		t.Error("a grant that was not named is examined")
	}
}

// R-LOCAL-2: without a provider every one of the cache is examined, and what is of the machine once. A file that cannot be used is
// named too, and so are grants that have all expired.
func TestEveryProviderIsExamined(t *testing.T) {
	cache := &credential.Cache{Root: t.TempDir()}
	store := func(url, grant string, ends time.Time) {
		token, err := rs.NewBearer(secret)
		if err != nil {
			t.Fatal(err)
		}
		entry := &credential.Entry{ProviderURL: url, Credential: credential.Credential{AccessToken: token, GrantID: grant, ExpiresAt: ends}}
		if err := cache.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	good, gone := provider(t, healthy()).URL, provider(t, healthy()).URL
	store(good, "grt_good", time.Time{})
	store(gone, "grt_old", time.Now().Add(-day))
	store(gone, "grt_older", time.Now().Add(-day))
	if err := os.WriteFile(filepath.Join(cache.Root, "clients", "broken.json"), []byte(`{"provider_url":"`), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := options("")
	asked.Token, asked.CacheRoot = nil, cache.Root
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
	want(t, results, "provider_url", doctor.Failed, credential.Configuration, `no cached credential is of the grant "grt_none"`)
}

// R-LOCAL-5: a token that has expired and is renewed by the next read is nothing to mend. The doctor renews none, and sends none
// that has expired: it reads with another grant, or not.
func TestTokensThatAreRenewed(t *testing.T) {
	server := provider(t, healthy())
	cache := &credential.Cache{Root: t.TempDir()}
	for _, name := range []string{"lasting", "spent"} {
		token, err := rs.NewBearer(name + "-token-of-a-test")
		if err != nil {
			t.Fatal(err)
		}
		entry := &credential.Entry{ProviderURL: server.URL, Credential: credential.Credential{AccessToken: token, GrantID: "grt_" + name}}
		if name == "spent" {
			entry.Credential.ExpiresAt = time.Now().Add(-day)
			if entry.Credential.RefreshToken, err = rs.NewBearer("refresh-token-of-a-test"); err != nil {
				t.Fatal(err)
			}
		}
		if err := cache.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	asked := options(server.URL)
	asked.Token, asked.CacheRoot = nil, cache.Root
	results, _ := examined(t, asked)
	want(t, results, "credential", doctor.OK, "", "grant grt_lasting")
	want(t, results, "schema", doctor.OK, "", "2 streams")
	want(t, results, "grant_grt_spent", doctor.Note, "", "is renewed by the next read")
	asked.Grants = []string{"grt_spent"}
	results, _ = examined(t, asked)
	want(t, results, "credential", doctor.Note, "", "grant grt_spent, its token expired at")
	want(t, results, "token_kind", doctor.Skipped, "", "the next read renews it")
	want(t, results, "schema", doctor.Skipped, "", "needs token_kind")
}
