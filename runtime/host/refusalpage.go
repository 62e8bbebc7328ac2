package host

import (
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/host/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/webpage"
)

// titles are the titles of refusals by status. The default is http.StatusText.
var titles = map[int]string{
	http.StatusNotFound:           "Page not found",
	http.StatusMisdirectedRequest: "Host not allowed",
}

// isBrowser reports whether a browser sent the request.
func isBrowser(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && webpage.PrefersHTML(r.Header.Values("Accept"))
}

// write writes a refusal: a page for a browser, or else JSON.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, refused *problem) {
	w.Header().Add("Vary", "Accept")
	if !isBrowser(r) {
		refused.write(w, toolcall.RequestOf(r.Context()).ID)
		return
	}
	refused.setHeader(w.Header())
	title := titles[refused.status]
	if title == "" {
		title = http.StatusText(refused.status)
	}
	h.showPage(w, refused.status, title, refused.message)
}

// showPage writes a page with a message, and a link to the setup page if the host is this server's.
func (h *Handler) showPage(w http.ResponseWriter, status int, title, text string) {
	message := webpage.Message{Site: h.options.Name, Title: title, Text: []string{text}}
	if status != http.StatusMisdirectedRequest {
		message.Link, message.LinkText = page.ConnectPath, "Connect an AI app"
	}
	message.Write(w, status)
}
