package credential_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const (
	provider = "http://localhost:7673"
	secret   = "scoped-token-that-is-never-printed"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// stored writes a cache file like another PDPP tool, and returns the cache and the file's path.
func stored(t *testing.T, content string) (*credential.Cache, string) {
	t.Helper()
	root := t.TempDir()
	directory := filepath.Join(root, "clients")
	if err := os.MkdirAll(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(directory, "localhost_7673.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return &credential.Cache{Root: root}, path
}

func wantError(t *testing.T, err error, class credential.Class, texts ...string) {
	t.Helper()
	var failure *credential.Error
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v, want a *credential.Error", err)
	}
	if failure.Class != class {
		t.Errorf("class is %q, want %q", failure.Class, class)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
	if strings.Contains(err.Error(), secret) || strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("error %q holds the token or is more than one line", err)
	}
}

const connectHint = "run: pdpp-mcp connect http://localhost:7673"

// loadCases are cache files and the results of Load.
var loadCases = []struct {
	name    string
	content string
	grant   string
	class   credential.Class // empty: the credential is usable
	texts   []string
}{
	{
		name: "as another tool wrote it",
		content: `{"provider_url":"http://localhost:7673","authorization_server":"http://localhost:7672",` +
			`"scope":"pdpp:read","client":{"client_id":"cli_1","client_name":"PDPP CLI","token_endpoint_auth_method":"none"},` +
			`"credential":{"access_token":"` + secret +
			`","token_type":"Bearer","grant_id":"grt_1"},"created_at":"2026-11-21T11:41:28.052Z"}`,
		grant: "grt_1",
	},
	{
		name:    "nothing optional",
		content: `{"provider_url":"http://localhost:7673/","credential":{"access_token":"` + secret + `"}}`,
	},
	{
		name: "optional members null",
		content: `{"provider_url":"http://LOCALHOST:7673","client":null,"scope":null,"credential":{"access_token":"` +
			secret + `","expires_at":null}}`,
	},
	{name: "a kind that is not owner", content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` +
		secret + `","token_kind":"client"}}`},
	{name: "not yet expired", content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret +
		`","expires_at":"2026-11-21T12:00:01Z"}}`},
	{
		name: "expired",
		content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret +
			`","expires_at":"2026-11-21T12:00:00Z"}}`,
		class: credential.Configuration, texts: []string{"expired at 2026-11-21T12:00:00Z", connectHint},
	},
	{
		name:    "wrong grant",
		content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret + `","grant_id":"grt_1"}}`,
		grant:   "grt_2",
		class:   credential.Configuration,
		texts:   []string{`unknown grant "grt_2" (did you mean "grt_1"?); stored: grt_1`, "run: pdpp-mcp connections"},
	},
	{
		name:    "half written",
		content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret,
		class:   credential.Configuration, texts: []string{"malformed", connectHint},
	},
	{name: "empty", content: "", class: credential.Configuration, texts: []string{"malformed", connectHint}},
	{name: "an array", content: `[]`, class: credential.Configuration, texts: []string{"not a JSON object", connectHint}},
	{
		name: "no credential", content: `{"provider_url":"http://localhost:7673"}`, class: credential.Configuration,
		texts: []string{"credential is missing", connectHint},
	},
	{
		name:    "credential of the wrong type",
		content: `{"provider_url":"http://localhost:7673","credential":"` + secret + `"}`,
		class:   credential.Configuration, texts: []string{"member credential must be an object", connectHint},
	},
	{
		name:    "token of the wrong type",
		content: `{"provider_url":"http://localhost:7673","credential":{"access_token":["` + secret + `"]}}`,
		class:   credential.Configuration, texts: []string{"member access_token must be a string", connectHint},
	},
	{
		name:    "no token",
		content: `{"provider_url":"http://localhost:7673","credential":{"token_type":"Bearer"}}`,
		class:   credential.Configuration, texts: []string{"token is empty", connectHint},
	},
	{
		name:    "token with a line break",
		content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret + `\nX: y"}}`,
		class:   credential.Configuration, texts: []string{"characters that a bearer cannot have", connectHint},
	},
	{
		name: "time that is not a time",
		content: `{"provider_url":"http://localhost:7673","credential":{"access_token":"` + secret +
			`","expires_at":"soon"}}`,
		class: credential.Configuration, texts: []string{"member expires_at must be a time", connectHint},
	},
	{
		name:    "written for another provider of the same key",
		content: `{"provider_url":"https://localhost:7673","credential":{"access_token":"` + secret + `"}}`,
		class:   credential.Configuration, texts: []string{"not written for http://localhost:7673", connectHint},
	},
	{
		name: "too large",
		content: `{"provider_url":"http://localhost:7673","padding":"` + strings.Repeat("x", 1<<20) +
			`","credential":{"access_token":"` + secret + `"}}`,
		class: credential.Configuration, texts: []string{"larger than 1048576 bytes", connectHint},
	},
}

// Covers R-STDIO-1 and R-STDIO-2.
func TestLoad(t *testing.T) {
	for _, test := range loadCases {
		t.Run(test.name, func(t *testing.T) {
			cache, _ := stored(t, test.content)
			entry, err := cache.Load(provider, names(test.grant), now)
			if test.class != "" {
				wantError(t, err, test.class, test.texts...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if entry.Credential.AccessToken.Reveal() != secret {
				t.Error("the token is not the one in the file")
			}
		})
	}
}

// Covers R-STDIO-3: each of the four members marks an owner credential, expired or not.
func TestLoadRefusesOwnerCredential(t *testing.T) {
	for _, mark := range []string{"pdpp_token_kind", "token_kind", "kind", "role"} {
		t.Run(mark, func(t *testing.T) {
			cache, _ := stored(t, `{"provider_url":"http://localhost:7673","credential":{"access_token":"`+secret+
				`","expires_at":"2020-01-01T00:00:00Z","`+mark+`":"owner"}}`)
			_, err := cache.Load(provider, nil, now)
			wantError(t, err, credential.Refused, mark+"=owner", "connect http://localhost:7673")
		})
	}
}

// Covers R-STDIO-2: a missing file, and things that are not regular files.
func TestReadWithoutUsableFile(t *testing.T) {
	t.Run("no cache", func(t *testing.T) {
		cache := &credential.Cache{Root: filepath.Join(t.TempDir(), "none")}
		_, err := readFirst(cache, provider)
		wantError(t, err, credential.Configuration, "no credential for http://localhost:7673", "run: pdpp-mcp connect")
	})
	t.Run("directory", func(t *testing.T) {
		cache := &credential.Cache{Root: t.TempDir()}
		if err := os.MkdirAll(filepath.Join(cache.Root, "clients", "localhost_7673.json"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := readFirst(cache, provider)
		wantError(t, err, credential.Configuration, "not a regular file", "run: pdpp-mcp connect")
	})
	t.Run("cache root is a file", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "root")
		if err := os.WriteFile(root, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cache := &credential.Cache{Root: root}
		_, err := readFirst(cache, provider)
		wantError(t, err, credential.Configuration, "cannot be read", "run: pdpp-mcp connect")
	})
}

// Covers R-STDIO-2: a file that others can read is narrowed with a warning.
func TestReadNarrowsExposedFile(t *testing.T) {
	for _, mode := range []os.FileMode{0o640, 0o604, 0o666, 0o610} {
		t.Run(mode.String(), func(t *testing.T) {
			cache, path := stored(t, `{"provider_url":"http://localhost:7673","credential":{"access_token":"`+secret+`"}}`)
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			cache.Logger = slog.New(slog.NewTextHandler(&log, nil))
			if _, err := readFirst(cache, provider); err != nil {
				t.Fatal(err)
			}
			wantMode(t, path, 0o600)
			if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "narrowed to 0600") {
				t.Errorf("log is %q, want a warning", log.String())
			}
			log.Reset()
			if _, err := readFirst(cache, provider); err != nil || log.Len() > 0 {
				t.Errorf("second read: error %v, log %q; want neither", err, log.String())
			}
		})
	}
}

func wantMode(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != mode {
		t.Errorf("%s has mode %v, want %v", filepath.Base(path), info.Mode().Perm(), mode)
	}
}

func TestPath(t *testing.T) {
	tests := []struct{ provider, file string }{
		{"http://localhost:7663", "localhost_7663.json"},
		{"https://PDPP.Example/", "pdpp.example.json"},
		{"https://pdpp.example:443", "pdpp.example.json"},
		{"http://pdpp.example:443", "pdpp.example_443.json"},
		{"http://[::1]:8787", "___1__8787.json"},
		{"https://pdpp.example/base/", "pdpp.example.json"},
		{"https://my-host.example", "my-host.example.json"},
	}
	cache := &credential.Cache{Root: "root"}
	for _, test := range tests {
		path, err := cache.Path(test.provider)
		if err != nil {
			t.Errorf("%s: %v", test.provider, err)
			continue
		}
		if want := filepath.Join("root", "clients", test.file); path != want {
			t.Errorf("%s: path is %s, want %s", test.provider, path, want)
		}
	}
}

func TestPathRefusesProviderURL(t *testing.T) {
	cache := &credential.Cache{Root: "root"}
	for _, provider := range []string{
		"", "pdpp.example", "ftp://pdpp.example", "http://", "http://user:" + secret + "@pdpp.example",
		"http://pdpp.example?x=" + secret, "http://pdpp.example/#f", "http://%zz" + secret,
	} {
		_, err := cache.Path(provider)
		wantError(t, err, credential.Usage, "; pass ")
	}
}

func TestAddMakesFiles(t *testing.T) {
	cache := &credential.Cache{Root: filepath.Join(t.TempDir(), "cache")}
	token, err := rs.NewBearer(secret)
	if err != nil {
		t.Fatal(err)
	}
	entry := &credential.Entry{
		ProviderURL: provider,
		Client:      credential.Client{ClientID: "cli_1"},
		Credential: credential.Credential{
			AccessToken: token, TokenType: "Bearer", GrantID: "grt_1",
			ExpiresAt: now.Add(time.Hour),
		},
		CreatedAt: now,
	}
	for range 2 { // the second write replaces the first
		if err := cache.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	path, _ := cache.Path(provider)
	wantMode(t, cache.Root, 0o700)
	wantMode(t, filepath.Dir(path), 0o700)
	wantMode(t, path, 0o600)
	wantMode(t, filepath.Join(cache.Root, ".gitignore"), 0o600)
	ignore, err := os.ReadFile(filepath.Join(cache.Root, ".gitignore"))
	if err != nil || string(ignore) != "*\n" {
		t.Errorf(".gitignore is %q (%v), want %q", ignore, err, "*\n")
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 2 || files[0].Name() != ".lock" {
		t.Errorf("clients holds %v (%v), want the lock and the one file", files, err)
	}
	wantMode(t, filepath.Join(filepath.Dir(path), ".lock"), 0o600)
	loaded, err := cache.Load(provider, []string{"grt_1"}, now)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Credential.AccessToken.Reveal() != secret || !loaded.Credential.ExpiresAt.Equal(now.Add(time.Hour)) ||
		loaded.Client.ClientID != "cli_1" {
		t.Error("what was loaded is not what was written")
	}
}

// Members of other tools survive a rewrite in their order. The old refresh token is removed with its access token.
func TestAddKeepsUnknownMembersOfItsGrant(t *testing.T) {
	cache, path := stored(t, `{"tool":"other","provider_url":"http://localhost:7673","client":{"x":1.10,`+
		`"client_id":"cli_1"},"credential":{"refresh_token":"r","access_token":"old-token-of-a-test","nested":{"a":[1,2]}},`+
		`"last":null}`)
	entry, err := readFirst(cache, provider)
	if err != nil {
		t.Fatal(err)
	}
	if entry.Credential.AccessToken, err = rs.NewBearer(secret); err != nil {
		t.Fatal(err)
	}
	entry.Credential.RefreshToken = rs.Secret{}
	if err := cache.Add(entry); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, written); err != nil {
		t.Fatal(err)
	}
	want := `{"tool":"other","provider_url":"http://localhost:7673","client":{"x":1.10,"client_id":"cli_1"},` +
		`"credential":{"access_token":"` + secret + `","nested":{"a":[1,2]}},"last":null}`
	if diff := cmp.Diff(want, compact.String()); diff != "" {
		t.Errorf("rewritten file (-want +got):\n%s", diff)
	}
}

func TestAddWithoutDirectory(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	if err := os.WriteFile(root, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cache := &credential.Cache{Root: root}
	err := cache.Add(&credential.Entry{ProviderURL: provider})
	wantError(t, err, credential.Configuration, "cannot be written", "--cache-root")
}
