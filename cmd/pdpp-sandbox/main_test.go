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

// startReady starts a sandbox that ends with the test and returns the content of its ready file.
func startReady(t *testing.T) readiness {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ready.json")
	r := start(t, "--cache-root", t.TempDir(), "--ready-file", file)
	t.Cleanup(func() { r.rest(t) })
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ready readiness
	if err := json.Unmarshal(raw, &ready); err != nil {
		t.Fatal(err)
	}
	return ready
}

// rest stops the sandbox and returns what it printed after the ready line.
func (r running) rest(t *testing.T) string {
	t.Helper()
	stopped := make(chan int, 1)
	go func() { stopped <- r.stop() }()
	var printed strings.Builder
	for r.lines.Scan() {
		printed.WriteString(r.lines.Text() + "\n")
	}
	if code := <-stopped; code != exitOK {
		t.Errorf("exit code %d after a stop", code)
	}
	return printed.String()
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
	var cached struct { // as any PDPP tool reads it
		ProviderURL         string `json:"provider_url"`
		AuthorizationServer string `json:"authorization_server"`
		Credential          struct {
			AccessToken string `json:"access_token"`
			TokenType   string `json:"token_type"`
			GrantID     string `json:"grant_id"`
		} `json:"credential"`
	}
	if err := json.Unmarshal(raw, &cached); err != nil {
		t.Fatal(err)
	}
	if cached.ProviderURL != r.url || cached.AuthorizationServer != r.url || cached.Credential.TokenType != "Bearer" ||
		cached.Credential.GrantID == "" {
		t.Errorf("the cached credential is incomplete: provider %q, server %q", cached.ProviderURL,
			cached.AuthorizationServer)
	}
	for _, stream := range []string{"messages", "play_history", "chat_messages"} {
		if status, body := get(t, r.url+"/v1/streams/"+stream+"/records?limit=1",
			cached.Credential.AccessToken); status != http.StatusOK {
			t.Errorf("%s: %d %s", stream, status, body)
		}
	}
	for path, want := range map[string]os.FileMode{
		root: os.ModeDir | 0o700, filepath.Join(root, "clients"): os.ModeDir | 0o700, path: 0o600,
		filepath.Join(root, ".gitignore"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(path), info.Mode(), want)
		}
	}
	r.rest(t)
}

func TestTokensArePrintedOnRequestOnly(t *testing.T) {
	data := t.TempDir() // kept from start to start, because loading the data takes its time
	file := filepath.Join(t.TempDir(), "ready.json")
	asked := start(t, "--cache-root", t.TempDir(), "--data-dir", data, "--print-tokens", "--ready-file", file)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ready readiness
	if err := json.Unmarshal(raw, &ready); err != nil {
		t.Fatal(err)
	}
	if ready.URL != asked.url || ready.IntrospectionClientSecret == "" || ready.CredentialFile == "" {
		t.Errorf("the ready file is incomplete: url %q, credential %q", ready.URL, ready.CredentialFile)
	}
	if status, body := get(t, ready.URL+"/v1/schema?view=compact", ready.Tokens["owner"]); status != http.StatusOK {
		t.Errorf("schema: %d %s", status, body)
	}
	status, body := get(t, ready.URL+"/v1/streams/play_history/records?limit=1&count=exact", ready.Tokens["spotify"])
	if status != http.StatusOK || !strings.Contains(body, `"value":2521`) {
		t.Errorf("play_history: %d %s", status, body)
	}
	if printed := asked.rest(t); !strings.Contains(printed, "token everything="+ready.Tokens["everything"]) {
		t.Errorf("--print-tokens printed %s", printed)
	}

	silent := start(t, "--cache-root", t.TempDir(), "--data-dir", data)
	if printed := silent.rest(t); strings.Contains(printed, "token ") || strings.Contains(printed, "client_secret") {
		t.Errorf("printed without being asked: %s", printed)
	}
}

func TestUnusableSettings(t *testing.T) {
	data := t.TempDir()
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		arguments []string
		code      int
		says      string
	}{
		"unknown flag": {[]string{"--bogus"}, exitUsage, "bogus"},
		"reads":        {[]string{"--reads", "all"}, exitUsage, `must be one of ["v0.1" "open"]`},
		"quirk":        {[]string{"--quirk", "odd"}, exitUsage, "use shifted-dates, narrow-index, stale-index"},
		"coming":       {[]string{"--coming", "tomorrow=1"}, exitUsage, "use origin, ranking_scope"},
		"argument":     {[]string{"start"}, exitUsage, `"start"`},
		"listen":       {[]string{"--listen", "256.0.0.1:1", "--cache-root", t.TempDir()}, exitConfig, "--listen"},
		"data dir": {
			[]string{"--listen", "127.0.0.1:0", "--data-dir", blocked, "--cache-root", t.TempDir()},
			exitConfig, "--data-dir",
		},
		"cache root": {
			[]string{"--listen", "127.0.0.1:0", "--data-dir", data, "--cache-root", blocked},
			exitConfig, "--cache-root",
		},
		"ready file": {[]string{
			"--listen", "127.0.0.1:0", "--data-dir", data, "--cache-root", t.TempDir(),
			"--ready-file", blocked + "/x",
		}, exitConfig, "--ready-file"},
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
