package page

import "net/http"

// copyable is a text with a copy button. ID is unique on the page.
type copyable struct {
	ID   string
	Noun string // what the button says that it copies
	Text string
}

func (c copyable) markup() markup {
	return fillHTML("copyable.html", map[string]markup{"id": textMarkup(c.ID), "noun": textMarkup(c.Noun), "text": textMarkup(c.Text)})
}

// connect answers with the setup page (R-HOST-7).
func (p *Pages) connect(w http.ResponseWriter, r *http.Request) {
	at := p.addresses(r)
	lines := p.commands(at)
	values := frame(p.options.Name, p.options.Version)
	values["copy_url"] = copyable{"mcp-url", "MCP URL", at.MCP()}.markup()
	values["copy_claude_code"] = copyable{"claude-code", "Claude Code command", lines.ClaudeCode}.markup()
	values["copy_codex"] = copyable{"codex", "Codex command", lines.Codex}.markup()
	values["copy_command_line"] = copyable{"command-line", "terminal command", lines.CommandLine}.markup()
	values["claude_code_sign_in"] = textMarkup(lines.ClaudeCodeSignIn)
	values["codex_sign_in"] = textMarkup(lines.CodexSignIn)
	values["llms"] = textMarkup(at.LLMS())
	values["note"] = ""
	if !at.Public() {
		values["note"] = markup(asset("note.html"))
	}
	sendHTML(w, r, originHeaders, fillHTML("connect.html", values))
}

// redirect sends the short address on. The Location has no host, so no origin can be led astray.
func redirect(w http.ResponseWriter, r *http.Request) {
	secure(w.Header(), "")
	w.Header().Set("Cache-Control", oneDay)
	http.Redirect(w, r, ConnectPath, http.StatusPermanentRedirect)
}
