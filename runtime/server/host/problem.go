package host

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/page"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// kinds has the type and the code of a refusal by status.
var kinds = map[int]struct{ name, code string }{
	http.StatusBadRequest:            {"invalid_request_error", toolcall.CodeInvalidRequest},
	http.StatusForbidden:             {"permission_error", CodeForeignOrigin},
	http.StatusNotFound:              {"not_found_error", CodeNotFound},
	http.StatusMethodNotAllowed:      {"invalid_request_error", CodeMethodNotAllowed},
	http.StatusRequestEntityTooLarge: {"invalid_request_error", CodeRequestTooLarge},
	http.StatusUnsupportedMediaType:  {"invalid_request_error", CodeUnsupportedMediaType},
	http.StatusMisdirectedRequest:    {"api_error", CodeMisdirected},
	http.StatusTooManyRequests:       {"rate_limit_error", string(tool.RateLimitExceeded)},
	http.StatusInternalServerError:   {"api_error", CodeInternal},
}

// problem is a refusal that does not depend on the caller (docs/interfaces.md, Hosted routes). Refusals that depend on
// it are in package auth.
type problem struct {
	status     int // one without an entry in kinds has the type and code of a 400
	message    string
	retryAfter time.Duration // rounded up to whole seconds
	allow      string        // the methods of a 405
	title      string        // of the page; default: http.StatusText
}

var (
	misdirected = &problem{
		status: http.StatusMisdirectedRequest, title: "Host not allowed",
		message: "This server does not accept the requested host. Use its public URL; its operator can allow other hosts with --allowed-host.",
	}
	foreignOrigin = &problem{
		status:  http.StatusForbidden,
		message: "Pages of other origins may not use this server. Use an MCP client that is not a web page, or a page of the server's origin.",
	}
	tooLarge    = &problem{status: http.StatusRequestEntityTooLarge, message: "The body is larger than 262144 bytes. Send less at once."}
	unreadable  = &problem{status: http.StatusBadRequest, message: "The body was cut off or took too long. Send it again."}
	wrongMethod = &problem{status: http.StatusMethodNotAllowed, message: "This method is not allowed here. Send messages with POST.", allow: "POST, GET, DELETE"}
	noSuchPage  = &problem{status: http.StatusNotFound, title: "Page not found", message: "Not found. See / for the list of pages."}
)

func (p *problem) write(w http.ResponseWriter, requestID string) {
	kind := cmp.Or(kinds[p.status], kinds[http.StatusBadRequest])
	p.setHeader(w.Header())
	toolcall.WriteJSON(w, p.status, textJSON, "no-store", auth.ErrorBody(kind.name, kind.code, p.message, requestID))
}

func (p *problem) setHeader(header http.Header) {
	auth.SetRetryAfter(header, p.retryAfter)
	if p.allow != "" {
		header.Set("Allow", p.allow)
	}
}

const textJSON = toolcall.MediaJSON + "; charset=utf-8"

// answerWriter keeps the status for metrics. It rewrites the SDK's plain-text refusals as JSON, like this server's
// other refusals.
type answerWriter struct {
	http.ResponseWriter
	requestID string
	status    int
	isDelayed bool // the status of a refusal is not sent yet
}

// maxRefusal limits the SDK's text in bytes, because it can quote the client.
const maxRefusal = 300

// WriteHeader delays the status of a refusal until its text is written.
func (w *answerWriter) WriteHeader(status int) {
	w.status = status
	w.isDelayed = status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
	if !w.isDelayed {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write writes the refusal. The SDK writes its text in one call.
func (w *answerWriter) Write(text []byte) (int, error) {
	if !w.isDelayed {
		return w.ResponseWriter.Write(text)
	}
	w.isDelayed = false
	message := strings.ToValidUTF8(strings.TrimSpace(string(text[:min(len(text), maxRefusal)])), "")
	(&problem{status: w.status, message: message}).write(w.ResponseWriter, w.requestID)
	return len(text), nil
}

func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func isBrowser(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && webpage.PrefersHTML(r.Header.Values("Accept"))
}

// write writes a refusal: a page for a browser, otherwise JSON.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, refused *problem) {
	w.Header().Add("Vary", "Accept")
	if !isBrowser(r) {
		refused.write(w, toolcall.RequestOf(r.Context()).ID)
		return
	}
	refused.setHeader(w.Header())
	h.showPage(w, refused.status, cmp.Or(refused.title, http.StatusText(refused.status)), refused.message)
}

// showPage writes a page with a message, and a link to the setup page if the host is this server's.
func (h *Handler) showPage(w http.ResponseWriter, status int, title, text string) {
	message := webpage.Message{Site: h.options.Name, Title: title, Text: []string{text}}
	if status != http.StatusMisdirectedRequest {
		message.Link, message.LinkText = page.ConnectPath, "Connect an AI app"
	}
	message.Write(w, status)
}
