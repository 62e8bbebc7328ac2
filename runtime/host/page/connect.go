package page

import "net/http"

// connectView is what the setup page shows.
type connectView struct {
	Name    string
	Version string
	At      addresses
	Signs   commands // those that are only told
	Copies  copies
}

// copies are the texts with a copy button.
type copies struct {
	URL, ClaudeCode, Codex, CommandLine copyable
}

// copyable is a text with a copy button. ID is unique on the page.
type copyable struct {
	ID   string
	Noun string // what the button says that it copies
	Text string
}

// connect answers with the setup page (R-HOST-7).
func (p *Pages) connect(w http.ResponseWriter, r *http.Request) {
	at := p.addresses(r)
	lines := p.commands(at)
	sendHTML(w, r, "connect.html", originHeaders, connectView{
		Name:    p.options.Name,
		Version: p.options.Version,
		At:      at,
		Signs:   lines,
		Copies: copies{
			URL:         copyable{"mcp-url", "MCP URL", at.MCP()},
			ClaudeCode:  copyable{"claude-code", "Claude Code command", lines.ClaudeCode},
			Codex:       copyable{"codex", "Codex command", lines.Codex},
			CommandLine: copyable{"command-line", "terminal command", lines.CommandLine},
		},
	})
}

// redirect sends the short address on. The Location has no host, so no origin can be led astray.
func redirect(w http.ResponseWriter, r *http.Request) {
	secure(w.Header(), "")
	w.Header().Set("Cache-Control", oneDay)
	http.Redirect(w, r, ConnectPath, http.StatusPermanentRedirect)
}
