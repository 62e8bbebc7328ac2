package page

import (
	"net/http"
	"strings"
)

// llms answers with the page for agents that read it (R-HOST-8), in the form of llmstxt.org.
func (p *Pages) llms(w http.ResponseWriter, r *http.Request) {
	at := p.addresses(r)
	lines := p.commands(at)
	var tools strings.Builder
	for _, tool := range p.options.Tools {
		tools.WriteString("\n- `" + oneLine(tool.Name) + "`: ")
		if title := oneLine(tool.Title); title != "" {
			tools.WriteString(title + ". ")
		}
		tools.WriteString(firstSentence(oneLine(tool.Description)))
	}
	instructions := strings.TrimSpace(p.options.Instructions)
	if instructions != "" {
		instructions = "\n\n" + instructions
	}
	// It is plain text: every value but the instructions is one line, so that none can look like another.
	body := fill(string(asset("llms.txt")), map[string]string{
		"name": oneLine(p.options.Name), "mcp": at.MCP(), "connect": at.Connect(), "index": at.Index(),
		"metadata": at.Metadata(), "mcp_metadata": at.MCPMetadata(),
		"claude_code": lines.ClaudeCode, "claude_code_sign_in": lines.ClaudeCodeSignIn,
		"codex": lines.Codex, "codex_sign_in": lines.CodexSignIn, "command_line": lines.CommandLine,
		"tools": tools.String(), "instructions": instructions,
	})
	send(w, r, document{contentType: "text/plain; charset=utf-8", vary: originHeaders, body: []byte(body)})
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// firstSentence ends at the first full stop that a space follows.
func firstSentence(text string) string {
	if sentence, _, more := strings.Cut(text, ". "); more {
		return sentence + "."
	}
	return text
}
