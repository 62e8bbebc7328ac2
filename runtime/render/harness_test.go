package render_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/golden"
	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/record"
	"github.com/pdppmcp/pdpp-mcp/runtime/read/scan"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

const provider = "https://rs.example.com"

// silent is a reader that renderers must not use. It is safe for concurrent use.
type silent struct {
	mu    sync.Mutex
	asked []string
}

func (s *silent) Get(_ context.Context, request rs.Request) (*rs.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, string(request.Path)+"?"+request.Query.Encoded())
	return nil, &rs.Failure{Reason: rs.Unreachable, Message: "no renderer reads"}
}

func (s *silent) ProviderURL() string { return provider }

// answering is a reader that has the response to the first request for one path ready, and reads everything else from
// another one. A search reads its schema at the same time.
type answering struct {
	rs.Reader
	response *rs.Response
	isSent   atomic.Bool
}

func (a *answering) Get(ctx context.Context, request rs.Request) (*rs.Response, error) {
	if request.Path == a.response.Request.Path && !a.isSent.Swap(true) {
		return a.response, nil
	}
	return a.Reader.Get(ctx, request)
}

func readDocument(ctx context.Context, env tool.Env, response *rs.Response,
	input record.DocumentInput,
) (*tool.Result, error) {
	return renderedOf(env, response,
		func(env tool.Env) (*tool.Answer, error) { return record.Document(ctx, env, response.Request, input) })
}

func readWindow(ctx context.Context, env tool.Env, response *rs.Response,
	input record.FieldWindowInput,
) (*tool.Result, error) {
	if q := input.Call.Arguments.Text("q"); q != "" {
		input.Q = &q
	}
	return renderedOf(env, response,
		func(env tool.Env) (*tool.Answer, error) { return record.FieldWindow(ctx, env, response.Request, input) })
}

// responded returns a response as the RS client does, without a body that the client would refuse.
func responded(path, body string) *rs.Response {
	request := rs.Request{}
	plain, query, _ := strings.Cut(path, "?")
	request.Path = rs.Path(plain)
	for _, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		plainName, nameErr := url.QueryUnescape(name)
		plainValue, valueErr := url.QueryUnescape(value)
		if name != "" && nameErr == nil && valueErr == nil {
			request.Query.Set(plainName, plainValue)
		}
	}
	response := rs.Response{Status: 200, RequestID: "req_1", URL: provider + path, Request: request}
	if given, err := response.WithBody([]byte(body)); err == nil {
		return given
	}
	return &response
}

// given returns a call as generated code passes it on.
func given(name, arguments string) answer.Given {
	object, ok := rawjson.ParseObject(json.RawMessage(arguments))
	if !ok {
		panic("no arguments: " + arguments)
	}
	call := answer.Given{Tool: name, Arguments: object}
	for _, definition := range gen.Surface().Tools {
		for _, argument := range definition.Arguments {
			if definition.Name == name {
				call.Accepted = append(call.Accepted, argument.Name)
			}
		}
	}
	return call
}

// fixture returns a recorded answer.
func fixture(t *testing.T, name, path string) *rs.Response {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return responded(path, string(body))
}

// compareResult compares both channels with files that are reviewed.
func compareResult(t *testing.T, name string, result *tool.Result) {
	t.Helper()
	var structured bytes.Buffer
	if err := json.Indent(&structured, result.Structured, "", " "); err != nil {
		t.Fatalf("structured output: %v", err)
	}
	structured.WriteByte('\n')
	golden.File(t, filepath.Join("testdata", name+".text.golden"), result.Text+"\n")
	golden.File(t, filepath.Join("testdata", name+".structured.golden"), structured.String())
}

// checkBounds checks R-BUD-2 and what every host relies on.
func checkBounds(t *testing.T, result *tool.Result, textBound int) {
	t.Helper()
	if length := render.Length(result.Text); length > textBound {
		t.Errorf("text has %d characters, more than %d", length, textBound)
	}
	if length := render.Length(string(result.Structured)); length > render.ChannelCharacters {
		t.Errorf("structured output has %d characters", length)
	}
	if !utf8.ValidString(result.Text) || !utf8.Valid(result.Structured) {
		t.Error("a channel is not UTF-8")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(result.Structured, &object); err != nil || object == nil {
		t.Errorf("structured output is not a JSON object: %v", err)
	}
}

// call is a continuation as a model reads it.
type call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// textCalls returns the continuations of a text.
func textCalls(t *testing.T, text, word string) []call {
	t.Helper()
	var calls []call
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(strings.TrimSpace(line), word+": ")
		if !found {
			continue
		}
		name, arguments, _ := strings.Cut(rest, " ")
		if !json.Valid([]byte(arguments)) {
			t.Errorf("continuation without a JSON object: %s", line)
		}
		calls = append(calls, call{name, json.RawMessage(arguments)})
	}
	return calls
}

// structuredCalls returns the continuations of structured output.
func structuredCalls(t *testing.T, structured json.RawMessage) []call {
	t.Helper()
	return structuredCallsOf(t, structured, "next")
}

// structuredCallsOf returns the continuations of one direction.
func structuredCallsOf(t *testing.T, structured json.RawMessage, word string) []call {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(structured, &object); err != nil {
		t.Fatal(err)
	}
	var calls []call
	if object[word] == nil {
		return nil
	}
	if err := json.Unmarshal(object[word], &calls); err != nil {
		t.Fatal(err)
	}
	return calls
}

func has(t *testing.T, calls []call, tool, arguments string) {
	t.Helper()
	for _, call := range calls {
		if call.Tool == tool && string(call.Arguments) == arguments {
			return
		}
	}
	t.Errorf("no continuation %s %s among %s", tool, arguments, calls)
}

func pointer[T any](value T) *T { return &value }

// runRecords renders a page of records as query_records does.
func runRecords(ctx context.Context, env tool.Env, response *rs.Response, input scan.RowsInput) (*tool.Result, error) {
	return renderedOf(env, response,
		func(env tool.Env) (*tool.Answer, error) { return scan.Rows(ctx, env, response.Request, input) })
}

// runAggregate renders an aggregate as the tool does.
func runAggregate(ctx context.Context, env tool.Env, response *rs.Response,
	input scan.GroupsInput,
) (*tool.Result, error) {
	return renderedOf(env, response,
		func(env tool.Env) (*tool.Answer, error) { return scan.Groups(ctx, env, response.Request, input) })
}

// runSearch renders a page of hits as search does.
func runSearch(ctx context.Context, env tool.Env, response *rs.Response, input scan.HitsInput) (*tool.Result, error) {
	return renderedOf(env, response,
		func(env tool.Env) (*tool.Answer, error) { return scan.Hits(ctx, env, response.Request, input) })
}

// renderedOf renders the answer of a tool that gets a response to the first read of its path.
func renderedOf(env tool.Env, response *rs.Response, ask func(tool.Env) (*tool.Answer, error)) (*tool.Result, error) {
	env.RS = &answering{Reader: env.RS, response: response}
	found, err := ask(env)
	if err != nil {
		return nil, err
	}
	return found.Render()
}
