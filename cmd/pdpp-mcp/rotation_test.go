package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
)

// tokenProvider is a resource server that takes some tokens, and keeps what was read with which.
type tokenProvider struct {
	*httptest.Server

	mu    sync.Mutex
	kinds map[string]string // by token; others get 401
	read  []string          // token and path
	came  *sync.Cond        // something was read
}

func newTokenProvider(t *testing.T) *tokenProvider {
	t.Helper()
	p := &tokenProvider{kinds: make(map[string]string)}
	p.came = sync.NewCond(&p.mu)
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *tokenProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	kind := p.kinds[token]
	p.read = append(p.read, token+" "+r.URL.Path)
	p.came.Broadcast()
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case kind == "":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"type":"authentication_error","code":"invalid_token","message":"no"}}`)
	case r.URL.Path == "/v1/schema":
		_, _ = io.WriteString(w, `{"bearer":{"token_kind":"`+kind+`"},"connectors":[]}`)
	default:
		_, _ = io.WriteString(w, `{"object":"list","data":[],"has_more":false}`)
	}
}

func (p *tokenProvider) knows(token, kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kinds[token] = kind
}

// await waits until a read has come since a number of them.
func (p *tokenProvider) await(since int, read string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !slices.Contains(p.read[since:], read) {
		p.came.Wait()
	}
}

func (p *tokenProvider) reads() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.read)
}

// call reads records once over a session, and returns the token with which they were read.
func (p *tokenProvider) call(t *testing.T, session *mcp.ClientSession) (token string, isError bool) {
	t.Helper()
	before := len(p.reads())
	result, err := session.CallTool(t.Context(),
		&mcp.CallToolParams{Name: "query_records", Arguments: map[string]any{"stream": "messages"}})
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for _, read := range p.reads()[before:] {
		if token, isRecords := strings.CutSuffix(read, readRecords); isRecords {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) != 1 {
		t.Fatalf("one call was read with %q", tokens)
	}
	return tokens[0], result.IsError
}

// readRecords follows the token of a read of records.
const readRecords = " /v1/streams/messages/records"

// Covers R-OPS-3: a local server takes another token from its file while it runs, once the resource server has taken
// it. A call is sent with one token, whatever becomes of it; a token that cannot be used is named once, and the one
// before stays.
func TestTokenFileIsReadAgain(t *testing.T) {
	const (
		first, second, owner = "first-token-of-a-test", "second-token-of-a-test", "owner-token-of-a-test"
		schema               = " /v1/schema"
	)
	p := newTokenProvider(t)
	p.knows(first, "client")
	p.knows(owner, "owner")
	file := filepath.Join(t.TempDir(), "token")
	replaceFile(t, file, first+"\n")
	command := exec.CommandContext(t.Context(), "pdpp-mcp", "stdio", "--provider-url", p.URL, "--access-token-file", file,
		"--cache-root", t.TempDir())
	stderr := &hosttest.Journal{}
	command.Stderr = stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "a test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func() (token string, isError bool) { t.Helper(); return p.call(t, session) }
	if token, isError := call(); token != first || isError {
		t.Fatalf("%s, %t", token, isError)
	}
	p.knows(first, "") // it was revoked
	replaceFile(t, file, second+"\n")
	p.await(0, second+schema) // which is refused
	if token, isError := call(); token != first || !isError {
		t.Errorf("%s, %t", token, isError)
	}
	p.knows(second, "client")
	for {
		if token, isError := call(); token == second && !isError {
			break
		} else if t.Context().Err() != nil || token != first {
			t.Fatalf("%s, %t: %s", token, isError, stderr)
		}
	}
	before := len(p.reads())
	replaceFile(t, file, owner)
	p.await(before, owner+schema)
	stderr.Await("owner token")
	replaceFile(t, file, "short")
	if token, isError := call(); token != second || isError {
		t.Errorf("%s, %t", token, isError)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if slices.Contains(p.reads(), owner+readRecords) {
		t.Error("an owner's token was read with")
	}
	for _, want := range []string{
		"the new access token is refused; the previous one stays in use",
		"the access token was read again", file,
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, stderr)
		}
	}
	if count := strings.Count(stderr.String(), "invalid_token"); count != 1 {
		t.Errorf("the refused token was named %d times:\n%s", count, stderr)
	}
	if strings.Contains(stderr.String(), context.Canceled.Error()) {
		t.Errorf("the end of the server is reported as a refusal:\n%s", stderr)
	}
	for _, hidden := range []string{first, second, owner} {
		if strings.Contains(stderr.String(), hidden) {
			t.Errorf("the log holds %s", hidden)
		}
	}
}
