package credential_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// tokenEnd makes tokens of the names in the tests.
const tokenEnd = "-token-of-a-test"

func entryOf(t testing.TB, grantID, token string) *credential.Entry {
	t.Helper()
	bearer, err := rs.NewBearer(token + tokenEnd)
	if err != nil {
		t.Fatal(err)
	}
	return &credential.Entry{
		ProviderURL: provider, Client: credential.Client{ClientID: "cli_" + grantID},
		Credential: credential.Credential{AccessToken: bearer, TokenType: "Bearer", GrantID: grantID},
	}
}

// held lists the stored grants with their tokens, the current one first.
func held(t testing.TB, cache *credential.Cache) []string {
	t.Helper()
	grants, err := cache.Grants(provider)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range grants {
		list = append(list, entry.Credential.GrantID+"="+strings.TrimSuffix(entry.Credential.AccessToken.Reveal(), tokenEnd))
	}
	return list
}

// The newest grant is in the member that every PDPP tool reads. The others are found by their ids.
func TestAddKeepsOtherGrants(t *testing.T) {
	cache := &credential.Cache{Root: t.TempDir()}
	for _, grant := range []string{"grt_1", "grt_2", "grt_1"} {
		if err := cache.Add(entryOf(t, grant, "token-of-"+grant)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"grt_1=token-of-grt_1", "grt_2=token-of-grt_2"}, held(t, cache)); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
	for grant, token := range map[string]string{
		"": "token-of-grt_1", "grt_1": "token-of-grt_1",
		"grt_2": "token-of-grt_2",
	} {
		entry, err := cache.Load(provider, names(grant), now)
		if err != nil || entry.Credential.AccessToken.Reveal() != token+tokenEnd || entry.ProviderURL != provider {
			t.Errorf("grant %q gives %v and %v, want %s", grant, entry, err, token)
		}
	}
	_, err := cache.Load(provider, []string{"grt_3"}, now)
	wantError(t, err, credential.Configuration, `unknown grant "grt_3"`, "stored: grt_1, grt_2")
	path, _ := cache.Path(provider)
	wantMode(t, path, 0o600)
	wantMode(t, filepath.Dir(path), 0o700)
}

// Members of other tools are kept: of the file, of a replaced grant, and of a grant that is no longer the current one.
// Members that describe the old token are removed.
func TestAddKeepsUnknownMembers(t *testing.T) {
	cache, path := stored(t,
		`{"tool":{"a":1.0},"provider_url":"http://localhost:7673","client":{"client_id":"cli_grt_1","x":1},
		"credential":{"access_token":"old-token-of-a-test","grant_id":"grt_1","note":"n","refresh_token":"r","role":"owner"},"other_grants":[]}`)
	if err := cache.Add(entryOf(t, "grt_1", "new")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, `{"tool":{"a":1.0},"provider_url":"http://localhost:7673","client":{"client_id":"cli_grt_1","x":1},
		"credential":{"grant_id":"grt_1","note":"n","access_token":"new-token-of-a-test","token_type":"Bearer"}}`)
	if err := cache.Add(entryOf(t, "grt_2", "newest")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, `{"tool":{"a":1.0},"provider_url":"http://localhost:7673","client":{"client_id":"cli_grt_2"},
		"credential":{"access_token":"newest-token-of-a-test","token_type":"Bearer","grant_id":"grt_2"},
		"other_grants":[{"client":{"client_id":"cli_grt_1","x":1},"credential":{"grant_id":"grt_1","note":"n","access_token":"new-token-of-a-test","token_type":"Bearer"}}]}`)
}

// wantFile compares without white space and the order of members.
func wantFile(t *testing.T, path, want string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got, wanted any
	if err := errors.Join(json.Unmarshal(content, &got), json.Unmarshal([]byte(want), &wanted)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

// A malformed file is replaced with a warning, and keeps its members if it is an object. The file of another provider
// stays.
func TestAddToUnusableFile(t *testing.T) {
	tests := []struct {
		name, content string
		kept          bool
		refused       string // empty: it is replaced
	}{
		{name: "half-written", content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret},
		{name: "empty"},
		{name: "no credential", content: `{"provider_url":"http://localhost:7673","tool":1}`, kept: true},
		{
			name: "other grants of the wrong type",
			content: `{"provider_url":"http://localhost:7673","tool":1,"credential":{"access_token":"x-token-of-a-test"},` +
				`"other_grants":{}}`, kept: true,
		},
		{
			name:    "of another provider",
			content: `{"provider_url":"https://localhost:7673","credential":{"access_token":"x-token-of-a-test"}}`,
			refused: "was not written for",
		},
		{
			name: "of another provider, with other grants of the wrong type",
			content: `{"provider_url":"https://localhost:7673","credential":{"access_token":"x-token-of-a-test"},` +
				`"other_grants":{}}`, refused: "was not written for",
		},
		{name: "too large", content: strings.Repeat(" ", 1<<20+1), refused: "larger than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cache, path := stored(t, test.content)
			var log bytes.Buffer
			cache.Logger = slog.New(slog.NewTextHandler(&log, nil))
			err := cache.Prepare(provider)
			if err == nil {
				err = cache.Add(entryOf(t, "grt_1", "new"))
			}
			content, _ := os.ReadFile(path)
			if test.refused != "" {
				wantError(t, err, credential.Configuration, test.refused, "move the file away")
				if string(content) != test.content {
					t.Error("the file was changed")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"grt_1=new"}, held(t, cache)); diff != "" {
				t.Error(diff)
			}
			if strings.Count(log.String(), "is replaced") != 1 || strings.Contains(log.String(), secret) {
				t.Errorf("log is %q, want one warning without the token", log.String())
			}
			if kept := strings.Contains(string(content), `"tool": 1`); kept != test.kept {
				t.Errorf("members kept: %t, want %t", kept, test.kept)
			}
		})
	}
}

// A cache that cannot be written is reported before the owner is asked. A file in place of the directory has this
// effect for root too.
func TestPrepareNeedsAWritableCache(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	if err := os.WriteFile(root, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cache := &credential.Cache{Root: root}
	wantError(t, cache.Prepare(provider), credential.Configuration, "pass another --cache-root")
	wantError(t, cache.Prepare("ftp://x"), credential.Usage, "http")
	cache.Root = filepath.Join(t.TempDir(), "new")
	if err := cache.Prepare(provider); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(filepath.Join(cache.Root, "clients")); err != nil || len(files) > 0 {
		t.Errorf("the directory holds %v and gives %v, want neither", files, err)
	}
}

// Temporary files of killed processes are removed after a minute.
func TestLeftoversAreRemoved(t *testing.T) {
	cache, path := stored(t, `{"provider_url":"http://localhost:7673","credential":{"access_token":"x-token-of-a-test"}}`)
	old, fresh := filepath.Join(filepath.Dir(path), ".writing-1"), filepath.Join(filepath.Dir(path), ".writing-2")
	for _, name := range []string{old, fresh} {
		if err := os.WriteFile(name, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if err := cache.Prepare(provider); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the old leftover is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("a file that may have a writer was removed")
	}
	if listed, err := cache.List(); err != nil || len(listed) != 1 {
		t.Errorf("lists %v and %v, want the one credential", listed, err)
	}
}

func TestRemove(t *testing.T) {
	full := func(t *testing.T) *credential.Cache {
		cache := &credential.Cache{Root: t.TempDir()}
		for _, grant := range []string{"grt_1", "grt_2", "grt_3"} {
			if err := cache.Add(entryOf(t, grant, "t")); err != nil {
				t.Fatal(err)
			}
		}
		return cache
	}
	tests := []struct {
		name          string
		grants        []string
		removed, left []string
	}{
		{"the current one", []string{"grt_3"}, []string{"grt_3"}, []string{"grt_2=t", "grt_1=t"}},
		{"another", []string{"grt_2"}, []string{"grt_2"}, []string{"grt_3=t", "grt_1=t"}},
		{"all", []string{""}, []string{"grt_3", "grt_2", "grt_1"}, nil},
		{"one by one", []string{"grt_1", "grt_3", "grt_2"}, []string{"grt_1", "grt_3", "grt_2"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cache := full(t)
			var removed []string
			for _, grant := range test.grants {
				entries, err := cache.Remove(provider, grant)
				if err != nil {
					t.Fatal(err)
				}
				for _, entry := range entries {
					removed = append(removed, entry.Credential.GrantID)
				}
			}
			if diff := cmp.Diff(test.removed, removed); diff != "" {
				t.Errorf("removed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.left, held(t, cache)); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
	_, err := full(t).Remove(provider, "grt_4")
	wantError(t, err, credential.Configuration, `"grt_4"`, "pdpp-mcp connections")
	_, err = (&credential.Cache{Root: t.TempDir()}).Remove(provider, "")
	wantError(t, err, credential.Configuration, "no credential for")
	cache, path := stored(t, `{"cred`)
	if removed, err := cache.Remove(provider, ""); err != nil || len(removed) > 0 {
		t.Errorf("a malformed file gives %v and %v, want neither", removed, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the malformed file is still there")
	}
}

func TestListReportsUnusableFiles(t *testing.T) {
	cache, path := stored(t, `{"provider_url":"http://localhost:7673","credential":{"access_token":"x-token-of-a-test"}}`)
	for name, content := range map[string]string{
		"a.json": `{"cred`, "b.json": `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret +
			`"}}`, "notes.txt": "",
	} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := cache.List()
	if err != nil || len(listed) != 3 {
		t.Fatalf("lists %v and %v, want three files", listed, err)
	}
	wantError(t, listed[0].Err, credential.Configuration, "a.json is malformed")
	wantError(t, listed[1].Err, credential.Configuration, "b.json", "does not belong to its provider_url")
	if only, err := cache.OnlyProvider(); err != nil || only != "http://localhost:7673" {
		t.Errorf("the only provider is %q, %v", only, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = cache.OnlyProvider() // R-STDIO-2: a malformed file is not reported as an empty cache
	wantError(t, err, credential.Configuration, "a.json is malformed")
	if listed[2].Err != nil || len(listed[2].Grants) != 1 {
		t.Errorf("the good file gives %+v", listed[2])
	}
	if listed, err := (&credential.Cache{Root: t.TempDir()}).List(); err != nil || listed != nil {
		t.Errorf("no cache gives %v and %v, want neither", listed, err)
	}
}

// After any adds and removes, the cache equals a list of grants with the newest first.
func TestGrantsAreAList(t *testing.T) {
	rapid.Check(t, func(run *rapid.T) {
		root, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			run.Fatal(err)
		}
		cache := &credential.Cache{Root: root}
		var want []string
		for i := range rapid.IntRange(1, 8).Draw(run, "steps") {
			grant := rapid.SampledFrom([]string{"grt_1", "grt_2", "grt_3"}).Draw(run, "grant")
			had := slices.ContainsFunc(want, func(held string) bool { return strings.HasPrefix(held, grant+"=") })
			want = slices.DeleteFunc(want, func(held string) bool { return strings.HasPrefix(held, grant+"=") })
			if rapid.Bool().Draw(run, "add") {
				token := fmt.Sprintf("t%d", i)
				want = slices.Insert(want, 0, grant+"="+token)
				if err := cache.Add(entryOf(t, grant, token)); err != nil {
					run.Fatal(err)
				}
			} else if _, err := cache.Remove(provider, grant); (err == nil) != had {
				run.Fatalf("removing %s gives %v, and it was there: %t", grant, err, had)
			}
			if len(want) == 0 {
				want = nil
			}
			if diff := cmp.Diff(want, held(t, cache)); diff != "" {
				run.Fatalf("grants (-want +got):\n%s", diff)
			}
		}
	})
}

// readFirst returns the credential that is used without a grant id.
func readFirst(cache *credential.Cache, provider string) (*credential.Entry, error) {
	grants, err := cache.Grants(provider)
	if err != nil {
		return nil, err
	}
	return grants[0], nil
}

// names are those of a selection; an empty one selects nothing.
func names(grant string) []string {
	if grant == "" {
		return nil
	}
	return []string{grant}
}
