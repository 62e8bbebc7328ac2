//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/gen"
)

// codexSees is the part of a server that Codex shows its model.
type codexSees struct {
	Namespace json.RawMessage   `json:"namespace"` // with the instructions and every tool
	Results   []json.RawMessage `json:"results"`   // of the calls of seenCalls
}

// TestCodexModel runs one conversation of codex exec over both channels (R-BUD-1, R-INSTR-1).
func TestCodexModel(t *testing.T) {
	u := newUser(t)
	u.runDocumented(t, "codex")
	var calls []namespacedCall
	for _, server := range servers {
		for _, seen := range seenCalls {
			calls = append(calls, namespacedCall{codexNamespace(server.name), seen})
		}
	}
	model := newResponsesModel(t, calls...)
	requests, results := u.runCodex(t, model, len(calls))
	u.asked.compare(t, "codex")
	for i, server := range servers {
		compareGolden(t, "codex-"+server.channel, codexSees{
			Namespace: namespaceOf(t, requests[0], codexNamespace(server.name)),
			Results:   results[i*len(seenCalls) : (i+1)*len(seenCalls)],
		})
	}
}

// runCodex has a model of some calls look it up, and returns what it was asked and the result of each call.
func (u *user) runCodex(t *testing.T, model *playedModel[responsesRequest, namespacedCall], calls int) (requests []responsesRequest, results []json.RawMessage) {
	t.Helper()
	u.run(t, "codex", "exec", "--skip-git-repo-check", "-s", "read-only", "-c", "model=played", "-c", "model_provider=played",
		"-c", fmt.Sprintf(`model_providers.played={name="played",base_url=%q,wire_api="responses"}`, model.URL+"/v1"), "Look it up.")
	requests = model.requests()
	if len(requests) != calls+1 {
		t.Fatalf("the model was asked %d times, want %d", len(requests), calls+1)
	}
	for _, item := range requests[calls].Input {
		if item.Type == "function_call_output" {
			results = append(results, item.Output)
		}
	}
	if len(results) != calls {
		t.Fatalf("the model was given %d results, want %d", len(results), calls)
	}
	return requests, results
}

// codexNamespace returns the name of a server for the model of Codex.
func codexNamespace(server string) string { return "mcp__" + strings.ReplaceAll(server, "-", "_") }

func namespaceOf(t *testing.T, request responsesRequest, name string) json.RawMessage {
	t.Helper()
	for _, offered := range request.Tools {
		var namespace struct{ Type, Name string }
		if err := json.Unmarshal(offered, &namespace); err != nil {
			t.Fatal(err)
		}
		if namespace.Type == "namespace" && namespace.Name == name {
			return offered
		}
	}
	t.Errorf("the model is offered no namespace %s", name)
	return nil
}

// TestCodexAppServer asks for the servers and calls a tool, as an editor does that has Codex built in.
func TestCodexAppServer(t *testing.T) {
	u := newUser(t)
	u.runDocumented(t, "codex")
	app := startAppServer(t, u)

	var status struct {
		Data []struct {
			Name  string
			Tools map[string]json.RawMessage
		}
	}
	app.ask(t, "mcpServerStatus/list", `{}`, &status)
	var thread struct{ Thread struct{ ID string } }
	app.ask(t, "thread/start", `{}`, &thread)
	for i, server := range servers {
		if len(status.Data) != len(servers) || status.Data[i].Name != server.name || len(status.Data[i].Tools) != len(gen.Surface().Tools) {
			t.Fatalf("the servers are %v, want %v with six tools each", status, servers)
		}
		for _, seen := range seenCalls {
			var result struct {
				Content           []struct{ Text string }
				StructuredContent json.RawMessage
				IsError           bool
			}
			app.ask(t, "mcpServer/tool/call", fmt.Sprintf(`{"threadId":%q,"server":%q,"tool":%q,"arguments":%s}`,
				thread.Thread.ID, server.name, seen.Tool, seen.Arguments), &result)
			if len(result.Content) != 1 || result.Content[0].Text == "" || len(result.StructuredContent) == 0 {
				t.Errorf("%s of %s gives %+v, want a text and structured content", seen.Tool, server.name, result)
			}
			if refused := seen.Tool == "fetch"; result.IsError != refused {
				t.Errorf("%s of %s: isError is %v, want %v", seen.Tool, server.name, result.IsError, refused)
			}
		}
	}
}
