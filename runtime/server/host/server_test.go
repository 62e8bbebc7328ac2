package host_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
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
	result, err := session.CallTool(t.Context(),
		&mcp.CallToolParams{Name: "fetch", Arguments: json.RawMessage(`{"n":1.10}`)})
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
