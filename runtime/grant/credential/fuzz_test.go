package credential_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
)

// R-STDIO-2, R-STDIO-3, R-ERR-6: any cache file is a usable scoped credential of this provider, or an error that
// repeats nothing of it. A usable credential survives a rewrite.
func FuzzCacheFile(f *testing.F) {
	for _, seed := range []string{
		`{"provider_url":"` + provider + `","credential":{"access_token":"` + secret + `","grant_id":"g"},"x":1}`,
		`{"provider_url":"` + provider + `","credential":{"access_token":"` + secret + `","kind":"OWNER "}}`,
		`{"provider_url":"` + provider + `","credential":{"access_token":"` + secret +
			`"},"other_grants":[{"credential":{"access_token":"t2-token-of-a-test","grant_id":"h"}}]}`,
		`{"provider_url":"` + provider +
			`","credential":{"access_token":"a-token-of-a-test","access_token":"b-token-of-a-test"},` +
			`"credential":{"access_token":"c-token-of-a-test"}}`,
		`{"provider_url":"https://evil.example","credential":{"access_token":"` + secret + `"}}`,
		`{"provider_url":"` + provider + `","credential":{"access_token":"a\nb","expires_at":"9999-12-31T23:59:59+23:59"}}`,
		`{`, `[]`, `null`, "\xef\xbb\xbf{}", strings.Repeat(`{"credential":`, 3_000),
	} {
		f.Add([]byte(seed))
	}
	root := f.TempDir()
	path := filepath.Join(root, "clients", "localhost_7673.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		cache := &credential.Cache{Root: root}
		entry, err := cache.Load(provider, nil, now)
		if err != nil {
			var failure *credential.Error
			if !errors.As(err, &failure) || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error %q", err)
			}
			if bytes.Contains(content, []byte(secret)) && strings.Contains(err.Error(), secret) {
				t.Fatalf("error %q holds the token", err)
			}
			return
		}
		if entry.Credential.OwnerMember() != "" || entry.Credential.Expired(now) {
			t.Fatalf("usable: %+v", entry)
		}
		before := entry.Credential.AccessToken.Reveal()
		grants, err := cache.Grants(provider)
		if err != nil {
			t.Fatal(err)
		}
		if err := cache.Add(entry); err != nil {
			var failure *credential.Error // only its size keeps a file from being written again
			if !errors.As(err, &failure) || !strings.Contains(err.Error(), "larger than") {
				t.Fatal(err)
			}
			return
		}
		again, err := cache.Grants(provider)
		if err != nil || len(again) > len(grants) || again[0].Credential.AccessToken.Reveal() != before {
			t.Fatalf("after a rewrite: %v, %d of %d grants", err, len(again), len(grants))
		}
	})
}
