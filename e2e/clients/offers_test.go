//go:build clients

package clients_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What a user or a model makes of prompts and resources in each client, and what its model is then shown.
const (
	promptShown   = `Tell me what is new since`
	resourceShown = `stream="chat_messages"`
	resourceURI   = "pdpp://stream/chat_messages"
)

// TestClaudeCodePrompts makes a prompt of a slash command; each word goes to one argument. R-MCP-1
func TestClaudeCodePrompts(t *testing.T) {
	u := newUser(t)
	u.runDocumented(t, "claude")
	model := newMessagesModel(t)
	u.environment = append(u.environment, "ANTHROPIC_BASE_URL="+model.URL, "ANTHROPIC_API_KEY=none")
	for _, server := range servers {
		u.run(t, "claude", "-p", "/mcp__"+server.name+"__what_is_new 2026-05-01 chat_messages")
		requests := model.requests()
		text := claudeTexts(requests[len(requests)-1])
		if !strings.Contains(text, promptShown+` "2026-05-01"`) || !strings.Contains(text, `Only the stream "chat_messages" counts.`) {
			t.Errorf("the model is not shown the prompt of %s:\n%s", server.name, text)
		}
	}
	u.run(t, "claude", "-p", "/mcp__pdpp-hosted__one_person Aiko Tanaka")
	requests := model.requests()
	text := claudeTexts(requests[len(requests)-1])
	if !strings.Contains(text, "<command-args>Aiko Tanaka</command-args>") || !strings.Contains(text, `"q":"Aiko"`) {
		t.Errorf("the model is not shown all words of the command, or not the first in the call:\n%s", text)
	}
}

// TestGeminiCLIPrompts makes a prompt of a slash command, and a resource of a mention. R-MCP-1
func TestGeminiCLIPrompts(t *testing.T) {
	u := newUser(t)
	u.write(t, ".gemini/trustedFolders.json", `{"`+u.folder+`":"TRUST_FOLDER"}`)
	u.write(t, ".gemini/settings.json", geminiSettings)
	u.runDocumented(t, "gemini")
	model := newGenerateModel(t)
	u.environment = append(u.environment, "GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL="+model.URL)
	for typed, shown := range map[string]string{
		"/pdpp-hosted_what_is_new --since=2026-05-01": promptShown,
		"/pdpp-hosted_one_person Aiko Tanaka":         `Aiko Tanaka`,
		"Look at @pdpp-hosted:" + resourceURI:         resourceShown,
	} {
		before := len(model.requests())
		u.run(t, `gemini --yolo -m gemini-2.5-flash -p "`+typed+`" </dev/null`)
		requests := model.requests()
		if len(requests) <= before {
			t.Errorf("%s does not come to the model", typed)
			continue
		}
		said, err := json.Marshal(requests[len(requests)-1].Contents)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.ReplaceAll(string(said), `\`, ""), shown) {
			t.Errorf("%s: the model is not shown %s:\n%s", typed, shown, said)
		}
	}
}

// TestCodexResources lets the model list and read resources, which Codex has tools for. It knows no prompts. R-MCP-1
func TestCodexResources(t *testing.T) {
	u := newUser(t)
	u.runDocumented(t, "codex")
	model := newResponsesModel(t,
		namespacedCall{call: call{"list_mcp_resources", `{"server":"pdpp-hosted"}`}},
		namespacedCall{call: call{"read_mcp_resource", `{"server":"pdpp-hosted","uri":"` + resourceURI + `"}`}},
	)
	u.run(t, "codex", "exec", "--skip-git-repo-check", "-s", "read-only", "-c", "model=played", "-c", "model_provider=played",
		"-c", fmt.Sprintf(`model_providers.played={name="played",base_url=%q,wire_api="responses"}`, model.URL+"/v1"), "Look it up.")
	requests := model.requests()
	var outputs []string
	for _, item := range requests[len(requests)-1].Input {
		if item.Type == "function_call_output" {
			outputs = append(outputs, strings.ReplaceAll(string(item.Output), `\`, ""))
		}
	}
	if len(outputs) != 2 || !strings.Contains(outputs[0], resourceURI) || !strings.Contains(outputs[1], resourceShown) {
		t.Errorf("the model is shown %.2000q", outputs)
	}
}

// TestInspectorLists reads prompts and resources in both eras. Its command line has no completion. R-MCP-1
func TestInspectorLists(t *testing.T) {
	u := newUser(t)
	for _, era := range []string{"legacy", "modern"} {
		for _, asked := range []struct {
			arguments []string
			shown     string
		}{
			{[]string{"prompts/list"}, `"what_is_here"`},
			{[]string{"prompts/get", "--prompt-name", "what_is_new", "--prompt-args", "since=2026-05-01"}, promptShown},
			{[]string{"resources/list"}, resourceURI},
			{[]string{"resources/templates/list"}, `"pdpp://stream/{name}"`},
			{[]string{"resources/read", "--uri", resourceURI}, `stream=\"chat_messages\"`},
		} {
			printed := u.run(t, "mcp-inspector", append([]string{
				"--cli", u.hosted, "--transport", "http", "--header", "Authorization: Bearer " + pdpp.Tokens["everything"],
				"--protocol-era", era, "--format", "json", "-q", "--method",
			}, asked.arguments...)...)
			if !strings.Contains(printed, asked.shown) {
				t.Errorf("%s %q prints no %s:\n%.1000s", era, asked.arguments, asked.shown, printed)
			}
		}
	}
}
