// Package golden_test compares the advertised surface with the goldens: what a client sees in a live session, its
// budgets, and the imports between packages.
package golden_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/e2e/hosttest"
	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// The oldest revision that hosts in use still speak, and the newest. The surface is the same in both.
const (
	oldRevision = "2025-06-18"
	newRevision = "2026-07-28"
)

// session speaks to a live server in single messages, so that a test sees the bytes of an answer.
type session struct {
	t          *testing.T
	connection mcp.Connection
	revision   string
}

// connect starts a session. The server has no resource server, because what it advertises needs none
// (R-INSTR-4).
func connect(t *testing.T, revision string) *session {
	t.Helper()
	environment := func(context.Context) (tool.Env, error) {
		t.Error("the resource server was wanted")
		return tool.Env{}, errors.New("no resource server")
	}
	connection, err := hosttest.Serve(t, gen.Surface(), hosttest.Options, environment).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return &session{t: t, connection: connection, revision: revision}
}

// greet returns the answer to the first request of a session.
func (s *session) greet() json.RawMessage {
	s.t.Helper()
	if s.revision == newRevision {
		return s.ask(1, "server/discover", nil)
	}
	answer := s.ask(1, "initialize", map[string]any{
		"protocolVersion": s.revision,
		"capabilities":    struct{}{},
		"clientInfo":      clientInfo,
	})
	s.send(&jsonrpc.Request{Method: "notifications/initialized", Params: json.RawMessage(`{}`)})
	return answer
}

var clientInfo = map[string]string{"name": "test", "version": "test"}

// ask sends one request and returns the result as the server wrote it.
func (s *session) ask(number int64, method string, params map[string]any) json.RawMessage {
	s.t.Helper()
	response := s.exchange(number, method, params)
	if response.Error != nil {
		s.t.Fatalf("%s is answered with %v", method, response.Error)
	}
	return response.Result
}

// refusal sends a request that must be answered with a protocol error, and returns its message.
func (s *session) refusal(number int64, method string, params map[string]any) string {
	s.t.Helper()
	response := s.exchange(number, method, params)
	if response.Error == nil {
		s.t.Fatalf("%s is answered with %s", method, response.Result)
	}
	return response.Error.Error()
}

func (s *session) exchange(number int64, method string, params map[string]any) *jsonrpc.Response {
	s.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	if s.revision == newRevision {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    newRevision,
			"io.modelcontextprotocol/clientInfo":         clientInfo,
			"io.modelcontextprotocol/clientCapabilities": struct{}{},
		}
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		s.t.Fatal(err)
	}
	id, err := jsonrpc.MakeID(float64(number))
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(&jsonrpc.Request{ID: id, Method: method, Params: encoded})
	message, err := s.connection.Read(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok {
		s.t.Fatalf("%s is answered with %+v", method, message)
	}
	return response
}

func (s *session) send(message jsonrpc.Message) {
	s.t.Helper()
	if err := s.connection.Write(s.t.Context(), message); err != nil {
		s.t.Fatal(err)
	}
}

// liveList returns the tools of tools/list, byte for byte as the server sends them.
func liveList(t *testing.T, revision string) []json.RawMessage {
	t.Helper()
	session := connect(t, revision)
	session.greet()
	var result struct{ Tools []json.RawMessage }
	decode(t, session.ask(2, "tools/list", nil), &result)
	return result.Tools
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("a golden is missing; make generate writes it: %v", err)
	}
	return text
}

// compact returns a golden without its insignificant white space.
func compact(t *testing.T, text []byte) []byte {
	t.Helper()
	var compacted bytes.Buffer
	if err := json.Compact(&compacted, text); err != nil {
		t.Fatal(err)
	}
	return compacted.Bytes()
}
