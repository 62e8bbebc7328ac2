package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// running is a sandbox that was started by run.
type running struct {
	url   string
	lines *bufio.Scanner // what it prints after the ready line
	stop  func() int     // stops it and returns the exit code
}

func start(t *testing.T, arguments ...string) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"--listen", "127.0.0.1:0"}, arguments...), writer, &stderr)
		_ = writer.Close()
	}()
	r := running{lines: bufio.NewScanner(reader), stop: func() int {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, reader) }()
		return <-code
	}}
	t.Cleanup(cancel)
	if !r.lines.Scan() {
		t.Fatalf("no ready line; exit code %d, stderr: %s", <-code, stderr.String())
	}
	url, found := strings.CutPrefix(r.lines.Text(), "listening on ")
	if !found {
		t.Fatalf("the first line is %q", r.lines.Text())
	}
	r.url = url
	return r
}

func get(t *testing.T, url, token string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestCredentialInTheCacheReadsEverything(t *testing.T) {
	root := filepath.Join(t.TempDir(), "cache")
	r := start(t, "--cache-root", root)
	path := filepath.Join(root, "clients", strings.ReplaceAll(strings.TrimPrefix(r.url, "http://"), ":", "_")+".json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cached cachedCredential
	if err := json.Unmarshal(raw, &cached); err != nil {
		t.Fatal(err)
	}
	if cached.ProviderURL != r.url || cached.AuthorizationServer != r.url || cached.Credential.TokenType != "Bearer" || cached.Credential.GrantID == "" {
		t.Errorf("the cached credential is incomplete: provider %q, server %q", cached.ProviderURL, cached.AuthorizationServer)
	}
	for _, stream := range []string{"messages", "play_history", "chat_messages"} {
		if status, body := get(t, r.url+"/v1/streams/"+stream+"/records?limit=1", cached.Credential.AccessToken); status != http.StatusOK {
			t.Errorf("%s: %d %s", stream, status, body)
		}
	}
	for path, want := range map[string]os.FileMode{
		root: os.ModeDir | 0o700, filepath.Join(root, "clients"): os.ModeDir | 0o700, path: 0o600, filepath.Join(root, ".gitignore"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(path), info.Mode(), want)
		}
	}
	if code := r.stop(); code != exitOK {
		t.Errorf("exit code %d after a stop", code)
	}
}

func TestTokensArePrintedOnlyWhenAskedFor(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		want      bool
	}{{nil, false}, {[]string{"--print-tokens"}, true}} {
		r := start(t, append(c.arguments, "--cache-root", t.TempDir())...)
		done := make(chan int, 1)
		var printed []string
		go func() { done <- r.stop() }()
		for r.lines.Scan() {
			printed = append(printed, r.lines.Text())
		}
		<-done
		if got := strings.Contains(strings.Join(printed, "\n"), "token everything="); got != c.want {
			t.Errorf("%v printed tokens: %v", c.arguments, got)
		}
	}
}

func TestReadyFileHoldsWhatAScriptNeeds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ready.json")
	r := start(t, "--cache-root", t.TempDir(), "--ready-file", file)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ready readiness
	if err := json.Unmarshal(raw, &ready); err != nil {
		t.Fatal(err)
	}
	if ready.URL != r.url || ready.IntrospectionClientSecret == "" || ready.Tokens["package"] == "" {
		t.Errorf("the ready file is incomplete: url %q, %d tokens", ready.URL, len(ready.Tokens))
	}
	if status, body := get(t, ready.URL+"/v1/schema?view=compact", ready.Tokens["owner"]); status != http.StatusOK {
		t.Errorf("schema: %d %s", status, body)
	}
}

func TestRestartOnADataDirectory(t *testing.T) {
	data, root := t.TempDir(), t.TempDir()
	for range 2 {
		file := filepath.Join(t.TempDir(), "ready.json")
		r := start(t, "--cache-root", root, "--data-dir", data, "--ready-file", file)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var ready readiness
		if err := json.Unmarshal(raw, &ready); err != nil {
			t.Fatal(err)
		}
		status, body := get(t, r.url+"/v1/streams/play_history/records?limit=1&count=exact", ready.Tokens["spotify"])
		if status != http.StatusOK || !strings.Contains(body, `"value":2600`) {
			t.Errorf("play_history: %d %s", status, body)
		}
		if code := r.stop(); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
	}
}

func TestUnusableSettings(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		arguments []string
		code      int
		says      string
	}{
		"unknown flag":     {[]string{"--bogus"}, exitUsage, "bogus"},
		"argument":         {[]string{"start"}, exitUsage, `"start"`},
		"listen":           {[]string{"--listen", "256.0.0.1:1", "--cache-root", t.TempDir()}, exitConfig, "--listen"},
		"data dir":         {[]string{"--listen", "127.0.0.1:0", "--data-dir", blocked, "--cache-root", t.TempDir()}, exitConfig, "--data-dir"},
		"cache root":       {[]string{"--listen", "127.0.0.1:0", "--cache-root", blocked}, exitConfig, "--cache-root"},
		"ready file":       {[]string{"--listen", "127.0.0.1:0", "--cache-root", t.TempDir(), "--ready-file", blocked + "/x"}, exitConfig, "--ready-file"},
		"help is no error": {[]string{"--help"}, exitOK, "-listen"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), c.arguments, &stdout, &stderr); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(stderr.String(), c.says) {
				t.Errorf("stderr does not say %s: %s", c.says, stderr.String())
			}
		})
	}
}

func TestCacheKey(t *testing.T) {
	for providerURL, want := range map[string]string{
		"http://localhost:7663": "localhost_7663", "https://pdpp.example": "pdpp.example", "http://[::1]:8787": "___1__8787",
	} {
		if got, err := cacheKey(providerURL); err != nil || got != want {
			t.Errorf("%s gives %s, %v, want %s", providerURL, got, err, want)
		}
	}
}
