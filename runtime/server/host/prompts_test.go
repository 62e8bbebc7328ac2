package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// Covers R-MCP-1: a prompt is one message of the user with the values in it, and nothing is read for it.
func TestPrompts(t *testing.T) {
	reader := reporting(clientSchema)
	session := connect(t, testSurface(), host.Options{}, reading(reader))
	listed, err := session.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Prompts) != 1 || listed.Prompts[0].Title != "One word" || len(listed.Prompts[0].Arguments) != 3 ||
		!listed.Prompts[0].Arguments[0].Required {
		t.Errorf("prompts are %+v", listed.Prompts)
	}
	if listed.CacheScope != "public" {
		t.Errorf("the list is cacheable as %q, want public: it is the same for all", listed.CacheScope)
	}
	got, err := session.GetPrompt(t.Context(),
		&mcp.GetPromptParams{Name: "one_word", Arguments: map[string]string{"word": "a \"b\"", "stream": "chat"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: `Look for "a \"b\"" in "chat".`}}}
	if diff := cmp.Diff(want, got.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if seen := reader.seen(); len(seen) > 0 {
		t.Errorf("the RS saw %v, want nothing", seen)
	}
}

// Covers R-MCP-1: an invalid argument of a prompt is an error that names it.
func TestPromptRefusals(t *testing.T) {
	session := connect(t, testSurface(), host.Options{}, reading(reporting(clientSchema)))
	for name, test := range map[string]struct {
		values map[string]string
		code   string
		param  string
	}{
		"missing": {nil, "invalid_arguments", "word"},
		"unknown": {map[string]string{"word": "a", "words": "b"}, "unknown_argument", "words"},
		"control": {map[string]string{"word": "a\nb"}, "invalid_arguments", "word"},
	} {
		_, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "one_word", Arguments: test.values})
		if data := wantRPCError(t, err, jsonrpc.CodeInvalidParams); data.Error.Code != test.code ||
			data.Error.Param != test.param {
			t.Errorf("%s: data is %+v, want %s of %s", name, data, test.code, test.param)
		}
	}
	if _, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "none"}); err == nil ||
		!strings.Contains(err.Error(), "none") {
		t.Errorf("an unknown prompt: %v", err)
	}
}

// Covers R-MCP-1: capabilities are the same in every revision, without changes of lists and without subscriptions.
func TestCapabilities(t *testing.T) {
	h := newHosted(t)
	const want = `{"completions":{},"prompts":{},"resources":{},"tools":{}}`
	for _, revision := range host.Revisions() {
		body, header := message(revision, "initialize", "",
			`"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}`)
		if revision >= newestRevision {
			body, header = message(revision, "server/discover", "", "")
		}
		got := resultOf(t, h.post(t, body, header...))["capabilities"]
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", revision, diff)
		}
	}
}

// Covers R-MCP-1: in the newest revision every result names the server, and the list of streams is private to the
// caller.
func TestListsOfTheNewestRevision(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(grantedSchema)) }
	})
	for _, test := range []struct{ method, name, params, scope string }{
		{"prompts/list", "", "", `"public"`},
		{"prompts/get", "one_word", `"name":"one_word","arguments":{"word":"a"}`, ""},
		{
			"completion/complete", "",
			`"ref":{"type":"ref/prompt","name":"one_word"},"argument":{"name":"stream","value":"m"}`, "",
		},
		{"resources/list", "", "", `"private"`},
		{"resources/templates/list", "", "", `"public"`},
	} {
		body, header := message(newestRevision, test.method, test.name, test.params)
		result := resultOf(t, h.post(t, body, header...))
		var meta map[string]json.RawMessage
		if err := json.Unmarshal(result["_meta"], &meta); err != nil ||
			!strings.Contains(string(meta["io.modelcontextprotocol/serverInfo"]), h.url+"/icon.svg") {
			t.Errorf("%s: _meta is %s", test.method, result["_meta"])
		}
		if string(result["cacheScope"]) != test.scope || string(result["resultType"]) != `"complete"` {
			t.Errorf("%s: scope %s, type %s; want scope %s, complete", test.method, result["cacheScope"],
				result["resultType"], test.scope)
		}
	}
}

// grantedSchema has a stream with two connections, one with one, and names that clients cannot use.
const grantedSchema = `{"object":"schema","bearer":{"token_kind":"client"},"connectors":[
	{"connector_key":"gmail","streams":[{"name":"messages"},{"name":"more mail"}],
	 "granted_connections":[{"connection_id":"cin_home","display_name":"Home\nmail"},{"connection_id":"cin_work","display_name":"Work mail"}]},
	{"connector_key":"chat","streams":[{"name":"messages"},{"name":"rooms"},{"name":".."},{"name":"a\nb"}],
	 "granted_connections":[{"connection_id":"cin_team","display_name":"Team"},{"connection_id":"x\u0007"}]}]}`

// Covers R-MCP-1: arguments and template variables are completed from the schema of the caller.
func TestCompletion(t *testing.T) {
	ofPrompt, ofTemplate := &mcp.CompleteReference{Type: "ref/prompt", Name: "one_word"}, &mcp.CompleteReference{
		Type: "ref/resource", URI: "pdpp://stream/{name}",
	}
	session := connect(t, testSurface(), host.Options{}, reading(reporting(grantedSchema)))
	for name, test := range map[string]struct {
		ref         *mcp.CompleteReference
		name, typed string
		context     map[string]string
		want        []string
	}{
		"streams":               {ofPrompt, "stream", "", nil, []string{"..", "messages", "more mail", "rooms"}},
		"streams that begin so": {ofPrompt, "stream", "M", nil, []string{"messages", "more mail"}},
		"streams of a connection": {
			ofPrompt, "stream", "m",
			map[string]string{"connection": "cin_team"},
			[]string{"messages"},
		},
		"connections":    {ofPrompt, "connection", "", nil, []string{"cin_home", "cin_work", "cin_team"}},
		"by their label": {ofPrompt, "connection", "work", nil, []string{"cin_work"}},
		"of a stream":    {ofPrompt, "connection", "", map[string]string{"stream": "rooms"}, []string{"cin_team"}},
		"any word":       {ofPrompt, "word", "a", nil, []string{}},
		"a template":     {ofTemplate, "name", "roo", nil, []string{"rooms"}},
		"a handle": {
			&mcp.CompleteReference{Type: "ref/resource", URI: "pdpp://record/{handle}"}, "handle", "",
			nil,
			[]string{},
		},
		"nothing begins so": {ofPrompt, "stream", "zz", nil, []string{}},
	} {
		params := &mcp.CompleteParams{Ref: test.ref, Argument: mcp.CompleteParamsArgument{Name: test.name, Value: test.typed}}
		if test.context != nil {
			params.Context = &mcp.CompleteContext{Arguments: test.context}
		}
		got, err := session.Complete(t.Context(), params)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(mcp.CompletionResultDetails{Values: test.want, Total: len(test.want)},
			got.Completion); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, ref := range map[string]*mcp.CompleteReference{
		"words": ofPrompt, "handle": ofTemplate, "word": {Type: "ref/prompt", Name: "none"},
		"name": {Type: "ref/resource", URI: "pdpp://none/{name}"},
	} {
		_, err := session.Complete(t.Context(),
			&mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: name}})
		var failed *jsonrpc.Error
		if !errors.As(err, &failed) || failed.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s of %+v: %v, want invalid params", name, ref, err)
		}
	}
}

// Covers R-MCP-1: a completion has up to 100 values, and none if the resource server fails or panics.
func TestCompletionIsBoundedAndSoft(t *testing.T) {
	asked := &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "one_word"},
		Argument: mcp.CompleteParamsArgument{Name: "stream"},
	}
	session := connect(t, testSurface(), host.Options{}, reading(reporting(schemaOf(250))))
	got, err := session.Complete(t.Context(), asked)
	if err != nil || len(got.Completion.Values) != 100 || got.Completion.Total != 250 || !got.Completion.HasMore {
		t.Errorf("%d values of %d, more: %v, %v", len(got.Completion.Values), got.Completion.Total,
			got.Completion.HasMore, err)
	}
	for name, fails := range map[string]func(context.Context, string) (*rs.Response, error){
		"refused": func(context.Context, string) (*rs.Response, error) { return nil, &rs.Error{Status: 500} },
		"panics":  func(context.Context, string) (*rs.Response, error) { panic("no") },
		"not schema": func(context.Context, string) (*rs.Response, error) {
			return rs.Response{Status: 200}.WithBody([]byte(`{}`))
		},
	} {
		session := connect(t, testSurface(), host.Options{}, reading(&recordingRS{answer: fails}))
		got, err := session.Complete(t.Context(), asked)
		if err != nil || got.Completion.Values == nil || len(got.Completion.Values) > 0 {
			t.Errorf("%s: %+v, %v; want no values", name, got, err)
		}
	}
}

// schemaOf has a number of streams with a space in each name.
func schemaOf(streams int) string {
	names := make([]string, streams)
	for i := range names {
		names[i] = `{"name":"stream ` + string(rune('a'+i/26)) + string(rune('a'+i%26)) + `"}`
	}
	return `{"bearer":{"token_kind":"client"},"connectors":[{"connector_key":"many","streams":[` +
		strings.Join(names, ",") + `],"granted_connections":[{"connection_id":"c"}]}]}`
}
