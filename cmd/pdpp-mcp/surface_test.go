package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// listeningRS is a resource server without records that keeps its requests.
type listeningRS struct {
	schema string // the answer of /v1/schema; empty: 404

	mu   sync.Mutex
	seen []string
}

func (l *listeningRS) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	l.mu.Lock()
	l.seen = append(l.seen, request.URL.RequestURI())
	l.mu.Unlock()
	response.Header().Set("Content-Type", "application/json")
	if request.URL.Path == "/v1/schema" && l.schema != "" {
		_, _ = response.Write([]byte(l.schema))
		return
	}
	response.WriteHeader(http.StatusNotFound)
	_, _ = response.Write([]byte(`{"error":{"type":"not_found_error","code":"not_found","message":"no such record"}}`))
}

// take returns the requests since the last time.
func (l *listeningRS) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.seen
	l.seen = nil
	return seen
}

// serveSurface serves the generated surface, reading from listener, and returns an in-memory session with it.
func serveSurface(t *testing.T, listener *listeningRS) *mcp.ClientSession {
	t.Helper()
	server := httptest.NewServer(listener)
	t.Cleanup(server.Close)
	reader, err := rs.NewClient(rs.Options{BaseURL: server.URL, Bearer: rs.NewSecret("a-scoped-token-of-a-test")})
	if err != nil {
		t.Fatal(err)
	}
	environment := func(context.Context) (tool.Env, error) { return tool.Env{RS: reader}, nil }
	return hosttest.Connect(t, gen.Surface(), hosttest.Options, environment)
}

// toolError is the error object of a result.
type toolError struct {
	Type     string   `json:"type"`
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Param    string   `json:"param"`
	Accepted []string `json:"accepted"`
}

// callForError calls a tool that must fail, and checks that both channels hold the same error object.
func callForError(t *testing.T, session *mcp.ClientSession, name, arguments string) toolError {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("protocol error %v, want a result", err)
	}
	if !result.IsError || len(result.Content) != 1 {
		t.Fatalf("result is %+v, want an error", result)
	}
	encoded, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var structured struct {
		Error toolError `json:"error"`
	}
	if err := json.Unmarshal(encoded, &structured); err != nil {
		t.Fatal(err)
	}
	var inText toolError
	text := result.Content[0].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(text), &inText); err != nil {
		t.Fatalf("text %q is not the error object: %v", text, err)
	}
	if inText.Code != structured.Error.Code || inText.Message != structured.Error.Message {
		t.Errorf("text says %+v, structured output %+v; want the same", inText, structured.Error)
	}
	return structured.Error
}
