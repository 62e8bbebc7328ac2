package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// acceptedOtherwise says the same as the Accept header of clients in an order that they do not use, so that the
// SDK answers.
const acceptedOtherwise = "text/event-stream, application/json"

func plainCallSurface() tool.Surface {
	return testSurface(
		whole(),
		running("failing", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) {
			return nil, errors.New("a failure that nobody may read")
		}),
		running("pointing", func(_ context.Context, _ tool.Env, arguments json.RawMessage) (*tool.Result, error) {
			return &tool.Result{
				Text: string(arguments), Structured: json.RawMessage(`{"a":1.0}`),
				Meta: map[string]json.RawMessage{"z/uris": json.RawMessage(`["b","a"]`), "a/more": json.RawMessage(`{}`)},
			}, nil
		}),
		running("panicking", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) { panic("no") }),
	)
}

// serve answers in this goroutine, without a network.
func (h *hosted) serve(t testing.TB, body, accept, revision string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/mcp", strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", accept)
	request.Header.Set("Request-Id", "request-of-the-test")
	if revision != "" {
		request.Header.Set("Mcp-Protocol-Version", revision)
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	return recorder
}

// checkSame holds an answer to that of the SDK: status, headers and, member by member, the message.
func checkSame(t testing.TB, h *hosted, body, revision string) {
	t.Helper()
	got, want := h.serve(t, body, acceptedUsually, revision), h.serve(t, body, acceptedOtherwise, revision)
	if got.Code != want.Code {
		t.Errorf("%s: status %d, the SDK says %d: %.300s", body, got.Code, want.Code, want.Body)
	}
	if diff := cmp.Diff(want.Header(), got.Header()); diff != "" {
		t.Errorf("%s: headers (-SDK +ours):\n%s", body, diff)
	}
	if got.Body.String() != want.Body.String() {
		t.Errorf("%s:\n got %.600s\nwant %.600s", body, got.Body, want.Body)
	}
}

const acceptedUsually = "application/json, text/event-stream"

// R-HOST-1: what is answered without the SDK is answered as the SDK does, byte for byte, and so is what only
// looks like it.
func TestPlainCallsAreAnsweredAsBySDK(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = plainCallSurface()
		with.options.Limits.PerSecond = 1e6
		with.options.Limits.Burst = 1e6
	})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whole","arguments":{"a":"x"}}}`
	bodies := []string{
		call,
		strings.Replace(call, `:1,`, `:"an id",`, 1),
		strings.Replace(call, `:1,`, `:"<i>\u00e9é\\",`, 1),
		strings.Replace(call, `:1,`, `:9007199254740993,`, 1),
		strings.Replace(call, `:1,`, `:-0,`, 1),
		strings.Replace(call, `:1,`, `:1.0,`, 1),
		strings.Replace(call, `:1,`, `:1e2,`, 1),
		strings.Replace(call, `:1,`, `:null,`, 1),
		strings.Replace(call, `"id":1,`, ``, 1),
		strings.Replace(call, `"id":1,`, `"id":1,"id":2,`, 1),
		strings.Replace(call, `"2.0"`, `"1.0"`, 1),
		strings.Replace(call, `"method"`, `"Method"`, 1),
		strings.Replace(call, `"name":"whole"`, `"name":"who\u006ce"`, 1),
		strings.Replace(call, `"name":"whole"`, `"Name":"whole"`, 1),
		strings.Replace(call, `"name":"whole"`, `"name":"unknown"`, 1),
		strings.Replace(call, `"name":"whole"`, `"name":7`, 1),
		strings.Replace(call, `"name":"whole"`, `"name":"whole","name":"failing"`, 1),
		strings.Replace(call, `"name":"whole",`, ``, 1),
		strings.Replace(call, `"name":"whole"`, `"name":"failing"`, 1),
		strings.Replace(call, `"name":"whole"`, `"name":"pointing"`, 1),
		strings.Replace(call, `"name":"whole"`, `"name":"panicking"`, 1),
		strings.Replace(call, `{"a":"x"}`, `null`, 1),
		strings.Replace(call, `{"a":"x"}`, `[1]`, 1),
		strings.Replace(call, `{"a":"x"}`, ` { "a" : 1 } `, 1),
		strings.Replace(call, `,"arguments":{"a":"x"}`, ``, 1),
		strings.Replace(call, `{"name"`, `{"_meta":{"progressToken":7,"vendor/id":"x"},"name"`, 1),
		strings.Replace(call, `{"name"`, `{"_meta":null,"name"`, 1),
		strings.Replace(call, `{"name"`, `{"_meta":[],"name"`, 1),
		strings.Replace(call, `{"name"`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name"`, 1),
		strings.Replace(call, `{"name"`, `{"task":{},"name"`, 1),
		strings.Replace(call, `"params":{`, `"params":[{`, 1) + `]`,
		strings.Replace(call, `tools/call`, `tools/list`, 1),
		" \n" + call + "\n",
		"[" + call + "]",
		`{}`,
		`7`,
	}
	for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01"} {
		for _, body := range bodies {
			checkSame(t, h, body, revision)
		}
	}
}

// The same for messages that are put together by chance.
func TestAnyMessageIsAnsweredAsBySDK(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = plainCallSurface()
		with.options.Limits.PerSecond = 1e6
		with.options.Limits.Burst = 1e6
	})
	one := func(t *rapid.T, label string, values ...string) string {
		return rapid.SampledFrom(values).Draw(t, label)
	}
	rapid.Check(t, func(rt *rapid.T) {
		params := one(rt, "opening", `{`, `{"_meta":{},`, `{"_meta":{"a":1},`, `{"x":1,`) +
			`"` + one(rt, "name", "name", "NAME", `nam\u0065`) + `":` + one(rt, "tool", `"whole"`, `"failing"`, `"pointing"`, `""`, `null`, `{}`) +
			one(rt, "arguments", ``, `,"arguments":{}`, `,"arguments":{"a":[]}`, `,"arguments":"a"`, `,"arguments":null`, `,"arguments":{},"arguments":{"b":1}`) + `}`
		body := `{` + one(rt, "version", `"jsonrpc":"2.0",`, ``, `"jsonrpc":2.0,`) +
			one(rt, "id", `"id":0,`, `"id":-7,`, `"id":"",`, `"id":"a\"b",`, `"id":[],`, ``) +
			`"method":` + one(rt, "method", `"tools/call"`, `"ping"`, `"tools\/call"`, `1`) + `,"params":` + params + one(rt, "more", ``, `,"more":1`) + `}`
		checkSame(t, h, body, one(rt, "revision", "2025-03-26", "2025-06-18", "2025-11-25"))
	})
}

// The usual call does without the SDK, whose share of the work is larger than the rest.
func TestPlainCallsTakeTheShortWay(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = testSurface(running("small", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) {
			return &tool.Result{Text: "small", Structured: json.RawMessage(`{}`)}, nil
		}))
		with.options.Limits.PerSecond = 1e6
		with.options.Limits.Burst = 1e6
	})
	allocations := func(accept string) float64 {
		return testing.AllocsPerRun(50, func() {
			if got := h.serve(t, callOf("small", "{}"), accept, "2025-06-18"); got.Code != http.StatusOK {
				t.Fatal(got.Code)
			}
		})
	}
	if short, long := allocations(acceptedUsually), allocations(acceptedOtherwise); short*2 > long {
		t.Errorf("%.0f allocations for the usual call, %.0f for the same one by the SDK", short, long)
	}
}
