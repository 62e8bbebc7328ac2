package host

import (
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/webpage"
)

// titles are what a refusal is called on a page, by its status. Others have the text of the status.
var titles = map[int]string{
	http.StatusNotFound:           "There is nothing here",
	http.StatusMisdirectedRequest: "This is not the address of this server",
}

// isBrowser reports whether a person's browser asks, which cannot show JSON well and cannot do anything with it.
func isBrowser(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && webpage.PrefersHTML(r.Header.Values("Accept"))
}

// write answers with a refusal: a page for a browser, JSON for everyone else.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, refused *problem) {
	w.Header().Add("Vary", "Accept")
	if !isBrowser(r) {
		refused.write(w, toolcall.RequestOf(r.Context()).ID)
		return
	}
	refused.announce(w.Header())
	title := titles[refused.status]
	if title == "" {
		title = http.StatusText(refused.status)
	}
	h.showPage(w, refused.status, title, refused.message)
}

// showPage answers with one message, and the way to the setup page. An address that is not this server's has no such way.
func (h *Handler) showPage(w http.ResponseWriter, status int, title, text string) {
	message := webpage.Message{Site: h.options.Name, Title: title, Text: []string{text}}
	if status != http.StatusMisdirectedRequest {
		message.Link, message.LinkText = page.ConnectPath, "Connect an AI app"
	}
	message.Write(w, status)
}
