package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Covers R-SURF-3.
func TestToolsCarryAnnotationsAndTitles(t *testing.T) {
	session := connect(t, testSurface(), host.Options{}, reading(reporting(clientSchema)))
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Tools) != 3 {
		t.Fatalf("%d tools are listed, want 3", len(listed.Tools))
	}
	for _, listedTool := range listed.Tools {
		encoded, err := json.Marshal(listedTool.Annotations)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true,"title":"Title of ` + listedTool.Name + `"}`
		if diff := cmp.Diff(want, string(encoded)); diff != "" {
			t.Errorf("annotations of %s (-want +got):\n%s", listedTool.Name, diff)
		}
		if listedTool.Title != "Title of "+listedTool.Name {
			t.Errorf("%s has title %q", listedTool.Name, listedTool.Title)
		}
	}
	if listed.CacheScope != "public" || listed.TTLMs <= 0 {
		t.Errorf("the list is cacheable as %q for %d ms, want public for a while", listed.CacheScope, listed.TTLMs)
	}
}

// Covers R-INSTR-1.
func TestServerPresentsItself(t *testing.T) {
	session := connect(t, testSurface(), host.Options{Name: "my-pdpp", Version: "1.2.3"}, reading(reporting(clientSchema)))
	presented := session.InitializeResult()
	if presented.Instructions != "Start with schema." {
		t.Errorf("instructions are %q", presented.Instructions)
	}
	if presented.ServerInfo.Name != "my-pdpp" || presented.ServerInfo.Version != "1.2.3" {
		t.Errorf("server is %+v", presented.ServerInfo)
	}
	capabilities, err := json.Marshal(presented.Capabilities)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"completions":{},"prompts":{},"resources":{},"tools":{}}`, string(capabilities)); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
}

func TestCallPassesEverythingOn(t *testing.T) {
	session := connect(t, testSurface(), host.Options{}, reading(reporting(clientSchema)))
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fetch", Arguments: json.RawMessage(`{"n":1.10}`)})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Meta       map[string]any    `json:"_meta"`
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		IsError    bool              `json:"isError"`
	}
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Content) != 1 || string(got.Content[0]) != `{"type":"text","text":"fetch {\"n\":1.10}"}` {
		t.Errorf("content is %s", got.Content)
	}
	if string(got.Structured) != `{"tool":"fetch"}` || got.Meta["example/uri"] != "pdpp://record/x" || got.IsError {
		t.Errorf("result is %s", encoded)
	}
}

func TestUnknownToolIsAProtocolError(t *testing.T) {
	session := connect(t, testSurface(), host.Options{}, reading(reporting(clientSchema)))
	_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_streams"})
	var failure *jsonrpc.Error
	if !errors.As(err, &failure) || failure.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("error is %v, want code %d", err, jsonrpc.CodeInvalidParams)
	}
}

// Covers R-ERR-1, R-ERR-2, R-ERR-4 and R-ERR-8: every failure of a tool is a result that says what to do and at which provider.
func TestFailuresAreResults(t *testing.T) {
	ended := running("slow", func(ctx context.Context, _ tool.Env, _ json.RawMessage) (*tool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	tests := []struct {
		definition tool.Definition
		code       string
	}{
		{failing("refused", &tool.Error{Code: tool.InvalidFilter, Message: "no"}), "invalid_filter"},
		{failing("denied", &rs.Error{Status: 403, Type: "permission_error", Code: "field_not_granted", Message: "no", Envelope: json.RawMessage(`{"type":"permission_error","code":"field_not_granted","message":"no"}`)}), "field_not_granted"},
		{failing("unreachable", &rs.Failure{Reason: rs.Unreachable, Message: "no"}), "rs_unreachable"},
		{failing("plain", errPlain), "internal"},
		{running("nothing", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) { return nil, nil }), "internal"},
		{running("panics", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) { panic(bearer) }), "internal"},
		{ended, "rs_timeout"},
	}
	var log bytes.Buffer
	options := host.Options{Options: toolcall.Options{Timeout: time.Minute, Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	for _, test := range tests {
		t.Run(test.definition.Name, func(t *testing.T) {
			if test.code == "rs_timeout" {
				options.Timeout = 20 * time.Millisecond
			}
			session := connect(t, testSurface(test.definition), options, reading(reporting(clientSchema)))
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: test.definition.Name})
			if err != nil {
				t.Fatalf("protocol error %v, want a result", err)
			}
			encoded, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			var structured struct {
				Error       struct{ Code, Message string } `json:"error"`
				ProviderURL string                         `json:"provider_url"`
			}
			content, err := json.Marshal(result.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(content, &structured); err != nil {
				t.Fatal(err)
			}
			if !result.IsError || structured.Error.Code != test.code || structured.Error.Message == "" || structured.ProviderURL != "https://pdpp.example" {
				t.Errorf("result is %s, want an error of code %s", encoded, test.code)
			}
			for _, hidden := range []string{bearer, "goroutine", ".go:"} {
				if strings.Contains(string(encoded), hidden) {
					t.Errorf("result %s shows %q", encoded, hidden)
				}
			}
		})
	}
	if !strings.Contains(log.String(), "a tool panicked") || !strings.Contains(log.String(), "server_test.go") {
		t.Errorf("the log %q does not say where the tool panicked", log.String())
	}
	if strings.Contains(log.String(), bearer) {
		t.Error("the log holds the value of the panic")
	}
}

// Covers R-HOST-5: the error of an environment stays with its request, and no tool runs.
func TestEnvironmentRefuses(t *testing.T) {
	ran := false
	definition := running("never", func(context.Context, tool.Env, json.RawMessage) (*tool.Result, error) {
		ran = true
		return &tool.Result{}, nil
	})
	session := connect(t, testSurface(definition), host.Options{}, func(context.Context) (tool.Env, error) {
		return tool.Env{}, &rs.Error{Status: 401, Type: "authentication_error", Code: "authentication_error", Message: "sign in", Envelope: json.RawMessage(`{"code":"authentication_error","message":"sign in"}`)}
	})
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "never"})
	if err != nil || !result.IsError || ran {
		t.Errorf("result %+v, error %v, ran %v; want an error result and no run", result, err, ran)
	}
}
