//go:build clients

package clients_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// claudeSees is the part of a server that Claude Code shows its model.
type claudeSees struct {
	Instructions string            `json:"instructions"` // at the start, since tools are loaded late
	Names        []string          `json:"names"`        // of the tools, at the start
	Loaded       []messagesTool    `json:"loaded"`       // once the model has asked for them
	Results      []json.RawMessage `json:"results"`      // of the calls of seenCalls
}

// TestClaudeCode runs the documented commands and one conversation over both channels (R-BUD-1, R-INSTR-1, R-INSTR-2).
func TestClaudeCode(t *testing.T) {
	u := newUser(t)
	var calls []call
	for _, server := range servers {
		prefix := "mcp__" + server.name + "__"
		calls = append(calls, call{"ToolSearch", `{"query":"select:` + prefix + `search,` + prefix + `fetch"}`})
		for _, seen := range seenCalls {
			calls = append(calls, call{prefix + seen.Tool, seen.Arguments})
		}
	}
	model := newMessagesModel(t, calls...)

	printed := u.runDocumented(t, "claude")
	if connected := strings.Count(printed, "✔ Connected"); connected != len(servers) {
		t.Errorf("%d servers are connected, want %d:\n%s", connected, len(servers), printed)
	}
	requests, results := u.runClaude(t, model, len(calls))
	u.asked.compare(t, "claude-code")
	for i, server := range servers {
		first := i*(len(seenCalls)+1) + 1 // after the search for tools
		compareGolden(t, "claude-code-"+server.channel, claudeSees{
			Instructions: claudeInstructions(t, requests[0], server.name),
			Names:        claudeNames(requests[0], server.name),
			Loaded:       claudeTools(requests[len(requests)-1], server.name),
			Results:      results[first : first+len(seenCalls)],
		})
	}
}

// runClaude has a model of some calls look it up, and returns what it was asked and the result of each call.
func (u *user) runClaude(t *testing.T, model *playedModel[messagesRequest, call], calls int) (requests []messagesRequest, results []json.RawMessage) {
	t.Helper()
	u.environment = append(u.environment, "ANTHROPIC_BASE_URL="+model.URL, "ANTHROPIC_API_KEY=none")
	u.run(t, `claude -p "Look it up." --allowedTools "mcp__pdpp__*" "mcp__pdpp-hosted__*" --output-format json`)
	requests = model.requests()
	if len(requests) != calls+1 {
		t.Fatalf("the model was asked %d times, want %d", len(requests), calls+1)
	}
	results = toolResults(t, requests[calls])
	if len(results) != calls {
		t.Fatalf("the model was given %d results, want %d", len(results), calls)
	}
	return requests, results
}

// claudeTexts returns all texts of a request, concatenated.
func claudeTexts(request messagesRequest) string {
	var all strings.Builder
	for _, message := range request.Messages {
		var parts []struct{ Text string }
		var text string
		if json.Unmarshal(message.Content, &text) == nil {
			all.WriteString(text + "\n")
		} else if json.Unmarshal(message.Content, &parts) == nil {
			for _, part := range parts {
				all.WriteString(part.Text + "\n")
			}
		}
	}
	return all.String()
}

// claudeInstructions returns the instructions of a server, which follow its name.
func claudeInstructions(t *testing.T, request messagesRequest, server string) string {
	t.Helper()
	_, after, found := strings.Cut(claudeTexts(request), "\n## "+server+"\n")
	if !found {
		t.Errorf("the model is not shown the instructions of %s", server)
	}
	instructions, _, _ := strings.Cut(after, "\n\n")
	return instructions
}

// claudeNames returns the tools of a server that the model gets without a description.
func claudeNames(request messagesRequest, server string) []string {
	var names []string
	for line := range strings.Lines(claudeTexts(request)) {
		if strings.HasPrefix(line, "mcp__"+server+"__") {
			names = append(names, strings.TrimSpace(line))
		}
	}
	return names
}

// claudeTools returns the tools of a server with their descriptions.
func claudeTools(request messagesRequest, server string) []messagesTool {
	var tools []messagesTool
	for _, offered := range request.Tools {
		if strings.HasPrefix(offered.Name, "mcp__"+server+"__") {
			tools = append(tools, offered)
		}
	}
	return tools
}

// toolResults returns the results of all calls of a conversation, in order.
func toolResults(t *testing.T, request messagesRequest) []json.RawMessage {
	t.Helper()
	var results []json.RawMessage
	for _, message := range request.Messages {
		var parts []struct {
			Type    string
			Content json.RawMessage
		}
		if json.Unmarshal(message.Content, &parts) != nil {
			continue // a text
		}
		for _, part := range parts {
			if part.Type == "tool_result" {
				results = append(results, part.Content)
			}
		}
	}
	return results
}
