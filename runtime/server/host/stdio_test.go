package host_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/runtime/grant/admission"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
)

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func call(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fetch",`+
		`"arguments":{"id":"messages:m1"}}}`, id) + "\n"
}

func read(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"pdpp://stream/messages"}}`,
		id) + "\n"
}

// conversation is a local server in the test's process.
type conversation struct {
	t      *testing.T
	input  *io.PipeWriter
	output *bufio.Reader
	ended  chan error
}

func converse(ctx context.Context, t *testing.T, reader rs.Reader) *conversation {
	t.Helper()
	input, toServer := io.Pipe()
	fromServer, output := io.Pipe()
	c := &conversation{t: t, input: toServer, output: bufio.NewReader(fromServer), ended: make(chan error, 1)}
	go func() {
		local := admission.New(ctx, reader, "pdpp-mcp connect https://pdpp.example", nil)
		err := host.ServeLocal(ctx, testSurface(), host.Options{Name: "pdpp-mcp", Version: "test"}, local,
			host.Streams{In: input, Out: output})
		_ = output.Close()
		c.ended <- err
	}()
	t.Cleanup(func() { _ = toServer.Close(); _ = fromServer.Close() })
	return c
}

func (c *conversation) send(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.input, line); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *conversation) end() { _ = c.input.Close() }

// serverMessage has the members of a server's message that tests check.
type serverMessage struct {
	ID     json.RawMessage `json:"id"`
	Result struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured errorData `json:"structuredContent"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// next reads one message. It fails the test on anything that is not one (R-STDIO-4).
func (c *conversation) next() serverMessage {
	c.t.Helper()
	line, err := c.output.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("the server has written %q and then %v", line, err)
	}
	var message serverMessage
	if err := json.Unmarshal(line, &message); err != nil {
		c.t.Fatalf("the server wrote %q, which is no message", line)
	}
	return message
}

// rest reads messages up to the end, by id.
func (c *conversation) rest() map[string]serverMessage {
	c.t.Helper()
	messages := make(map[string]serverMessage)
	for {
		if _, err := c.output.Peek(1); err != nil {
			return messages
		}
		message := c.next()
		messages[string(message.ID)] = message
	}
}

// Covers R-STDIO-3: nothing is read for a request before the kind of the bearer is known, while the
// handshake and the lists are answered at once.
func TestNothingIsReadBeforeTheBearerIsKnown(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	reader := &recordingRS{answer: func(_ context.Context, request string) (*rs.Response, error) {
		if request == question {
			close(asked)
			<-release
			return rs.Response{Status: 200}.WithBody([]byte(clientSchema))
		}
		return rs.Response{Status: 200}.WithBody([]byte(`{}`))
	}}
	c := converse(t.Context(), t, reader)
	<-asked // concurrently with the handshake: nothing was sent yet
	c.send(initialize)
	if first := c.next(); string(first.ID) != `"init"` {
		t.Errorf("first answer is to %s, want the handshake's", first.ID)
	}
	c.send(call(1), read(2), `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`+"\n")
	if listed := c.next(); string(listed.ID) != "3" {
		t.Errorf("answer is to %s, want the list's alone", listed.ID)
	}
	if seen := reader.seen(); len(seen) != 1 || seen[0] != question {
		t.Errorf("the RS saw %v, want only the question", seen)
	}
	close(release)
	c.end()
	answers := c.rest()
	if answers["1"].Result.IsError || answers["1"].Error != nil || answers["2"].Error != nil || len(answers) != 2 {
		t.Errorf("answers are %+v, want both", answers)
	}
	if err := <-c.ended; err != nil {
		t.Errorf("the session ended with %v, want no error", err)
	}
	if seen := reader.seen(); len(seen) != 3 || seen[0] != question {
		t.Errorf("the RS saw %v, want the question once and two reads", seen)
	}
}

// Covers R-STDIO-3: any kind but client ends the process, and no request is answered with data.
func TestBearerOfAnotherKindIsRefused(t *testing.T) {
	tests := []struct{ name, schema, kind, text string }{
		{"owner", `{"bearer":{"token_kind":"owner","scope":"owner"}}`, "owner", "an owner token"},
		{"owner in a wrapped answer", `{"data":{"bearer":{"token_kind":"owner"}}}`, "owner", "an owner token"},
		{
			"package", `{"bearer":{"token_kind":"mcp_package"}}`, "mcp_package",
			`only by the hosted MCP server at https://pdpp.example/mcp`,
		},
		{"unheard of", `{"bearer":{"token_kind":"superuser"}}`, "superuser", `kind "superuser"`},
		{
			"owner, and a client in other letters", `{"bearer":{"token_kind":"owner","Token_Kind":"client"}}`, "owner",
			"an owner token",
		},
		{"owner by another name", `{"bearer":{"token_kind":"client","role":" Owner"}}`, "owner", "an owner token"},
		{
			"client and package", `{"bearer":{"pdpp_token_kind":"mcp_package","token_kind":"client"}}`, "mcp_package",
			`a package token`,
		},
		{
			"owner within", `{"bearer":{"token_kind":"client"},"data":{"bearer":{"token_kind":"owner"}}}`, "owner",
			"an owner token",
		},
		{"a kind that is no string", `{"bearer":{"token_kind":["client"]}}`, "", "unknown kind"},
		{"of another shape", `{"bearer":"client"}`, "", "unknown kind"},
		{"not an object", `{"bearer":["client"]}`, "", "unknown kind"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reader := reporting(test.schema)
			c := converse(t.Context(), t, reader)
			err := <-c.ended
			var refusal *admission.Refusal
			if !errors.As(err, &refusal) || refusal.TokenKind != test.kind {
				t.Fatalf("the session ended with %v, want a refusal of kind %q", err, test.kind)
			}
			for _, text := range []string{test.text, "run: pdpp-mcp connect https://pdpp.example"} {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("refusal %q does not say %q", err, text)
				}
			}
			if seen := reader.seen(); len(seen) != 1 {
				t.Errorf("the RS saw %v, want only the question", seen)
			}
		})
	}
}

// Covers R-STDIO-6: a resource server that does not state the kind answers a package token's request for the schema
// with 404 (captures 206 and 891). A call gets that explanation, and not the advice for a wrong name.
func TestPackageTokenIsRefused(t *testing.T) {
	reader := &recordingRS{answer: func(context.Context, string) (*rs.Response, error) {
		return nil, &rs.Error{
			Status: 404, Code: "not_found", Message: "Unknown source: unknown",
			Envelope: json.RawMessage(`{"code":"not_found","message":"Unknown source: unknown","type":"not_found_error"}`),
		}
	}}
	c := converse(t.Context(), t, reader)
	err := <-c.ended
	var refusal *admission.Refusal
	if !errors.As(err, &refusal) || refusal.TokenKind != rs.KindPackage {
		t.Fatalf("the session ended with %v, want the refusal of a package token", err)
	}
	for _, text := range []string{
		"a package token", "https://pdpp.example/mcp",
		"run: pdpp-mcp connect https://pdpp.example",
	} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("refusal %q does not say %q", err, text)
		}
	}
}

// Covers R-STDIO-3: a kind that the resource server does not state is a client's.
func TestBearerOfNoStatedKindIsAClients(t *testing.T) {
	for _, schema := range []string{
		`{"object":"schema"}`, `{"bearer":{"scope":"grant"}}`, `{"bearer":null}`,
		`{"bearer":{"Token_Kind":"client"}}`,
	} {
		reader := reporting(schema)
		c := converse(t.Context(), t, reader)
		c.send(initialize)
		c.next()
		c.send(call(1))
		c.end()
		if answer := c.rest()["1"]; answer.Error != nil || answer.Result.IsError {
			t.Errorf("%s: the call got %+v", schema, answer)
		}
		if err := <-c.ended; err != nil {
			t.Errorf("%s: the session ended with %v", schema, err)
		}
	}
}

// Covers R-STDIO-3: a call that waits for the question gets the refusal, not data; and the process is
// refused also when its input has ended before the answer.
func TestWaitingCallIsRefused(t *testing.T) {
	release := make(chan struct{})
	reader := &recordingRS{answer: func(_ context.Context, request string) (*rs.Response, error) {
		if request != question {
			return nil, errPlain
		}
		<-release
		return rs.Response{Status: 200}.WithBody([]byte(`{"bearer":{"token_kind":"owner"}}`))
	}}
	c := converse(t.Context(), t, reader)
	c.send(initialize)
	c.next()
	c.send(call(1), `{"jsonrpc":"2.0","id":9,"method":"ping"}`+"\n")
	c.next() // the ping's answer: call 1 was read before it
	c.end()
	close(release)
	answers := c.rest()
	if waiting := answers["1"]; !waiting.Result.IsError || waiting.Result.Structured.Error.Code != "credential_refused" {
		t.Errorf("the waiting call got %+v, want credential_refused", waiting)
	}
	var refusal *admission.Refusal
	if err := <-c.ended; !errors.As(err, &refusal) {
		t.Errorf("the session ended with %v, want a refusal", err)
	}
	if seen := reader.seen(); len(seen) != 1 {
		t.Errorf("the RS saw %v, want only the question", seen)
	}
}

// Covers R-STDIO-3: while the RS cannot answer, calls get its failure and each new one asks again.
func TestQuestionIsAskedAgain(t *testing.T) {
	var state atomic.Value // the error that questions get now
	unreachable := error(&rs.Failure{Reason: rs.Unreachable, Message: "no route"})
	expired := error(&rs.Error{
		Status: 401, Type: "authentication_error", Code: "token_expired", Message: "sign in",
		Envelope: json.RawMessage(`{"type":"authentication_error","code":"token_expired","message":"sign in"}`),
	})
	state.Store(&unreachable)
	reader := &recordingRS{answer: func(_ context.Context, request string) (*rs.Response, error) {
		if failure := state.Load().(*error); request == question && failure != nil {
			return nil, *failure
		}
		return rs.Response{Status: 200}.WithBody([]byte(clientSchema))
	}}
	c := converse(t.Context(), t, reader)
	c.send(initialize)
	c.next()
	steps := []struct {
		failure *error
		code    string
	}{{&unreachable, "rs_unreachable"}, {&expired, "token_expired"}, {nil, ""}, {&unreachable, ""}}
	for id, step := range steps {
		state.Store(step.failure)
		c.send(call(id))
		got := c.next()
		if got.Result.Structured.Error.Code != step.code || got.Result.IsError != (step.code != "") {
			t.Errorf("call %d got %+v, want code %q", id, got, step.code)
		}
	}
	c.end()
	if err := <-c.ended; err != nil {
		t.Errorf("the session ended with %v, want no error", err)
	}
	// The first call may have joined the question that was asked during the handshake.
	seen := strings.Join(reader.seen(), " ")
	want := strings.Join([]string{question, question, question, "/v1/echo", "/v1/echo"}, " ")
	if seen != want && seen != question+" "+want {
		t.Errorf("the RS saw %s, want %s", seen, want)
	}
}

func TestSessionEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reader := &recordingRS{answer: func(ctx context.Context, _ string) (*rs.Response, error) {
		<-ctx.Done() // a resource server that never answers
		return nil, ctx.Err()
	}}
	c := converse(ctx, t, reader)
	c.send(initialize)
	c.next()
	c.send(call(1))
	cancel()
	go c.rest()
	if err := <-c.ended; err != nil {
		t.Errorf("the session ended with %v, want no error", err)
	}
}

// Covers R-STDIO-4: bad lines are answered, and the session continues.
func TestBadLines(t *testing.T) {
	padded := func(length int) string { // a ping of that many bytes
		const ping = `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"p":""}}}`
		return strings.Replace(ping, `"p":"`, `"p":"`+strings.Repeat("x", length-len(ping)), 1)
	}
	const pong = 0
	tests := []struct {
		name string
		line string
		code int    // pong: the line is a good one
		id   string // of the refusal; empty for null
	}{
		{"not JSON", "Content-Length: 10", -32700, ""},
		{"cut off", `{"jsonrpc":"2.0","id":7,`, -32700, ""},
		{"not UTF-8 and not JSON", "\xff\xfe", -32700, ""},
		{"no message", `{}`, -32600, ""},
		{"a number", `42`, -32600, ""},
		{"another version", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600, "7"},
		{"an empty batch", `[]`, -32600, ""},
		{"a batch of nonsense", `[1]`, -32600, ""},
		{"as long as it may be", padded(toolcall.LongestLine), pong, ""},
		{"one byte longer", padded(toolcall.LongestLine + 1), -32600, ""},
		{"far too long", strings.Repeat("x", 3*toolcall.LongestLine), -32600, ""},
		{"with white space around it", " \t" + padded(100) + " \r", pong, ""},
	}
	c := converse(t.Context(), t, reporting(clientSchema))
	c.send(initialize)
	c.next()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c.send("\n", test.line+"\n")
			got := c.next()
			switch {
			case test.code == pong && (got.Error != nil || string(got.ID) != "7"):
				t.Errorf("answer is %+v, want the ping's", got)
			case test.code != pong &&
				(got.Error == nil || got.Error.Code != test.code || string(got.ID) != cmp.Or(test.id, "null")):
				t.Errorf("answer is %+v, want code %d", got, test.code)
			}
		})
	}
	c.send(strings.TrimSuffix(call(8), "\n")) // the last line may lack its end
	c.end()
	if got := c.next(); string(got.ID) != "8" || got.Result.IsError {
		t.Errorf("answer is %+v, want the call's", got)
	}
	if err := <-c.ended; err != nil {
		t.Errorf("the session ended with %v, want no error", err)
	}
}

// All requests before the end of the input are answered.
func TestPipedRequestsAreAnswered(t *testing.T) {
	c := converse(t.Context(), t, reporting(clientSchema))
	go func() {
		script := initialize
		for id := range 20 {
			script += call(id)
		}
		_, _ = io.WriteString(c.input, script)
		c.end()
	}()
	answers := c.rest()
	for id := range 20 {
		if got, ok := answers[fmt.Sprint(id)]; !ok || got.Result.IsError || got.Error != nil {
			t.Errorf("call %d got %+v", id, got)
		}
	}
	if err := <-c.ended; err != nil {
		t.Errorf("the session ended with %v, want no error", err)
	}
}
