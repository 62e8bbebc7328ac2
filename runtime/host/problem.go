package host

import (
	"net/http"
	"strings"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/auth"
	"github.com/pdppmcp/pdpp-mcp/runtime/host/toolcall"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Codes of refusals over HTTP that do not depend on the caller, as in the table of interfaces.md. That of 429 is
// tool.RateLimitExceeded.
const (
	CodeMisdirected      = "misdirected_request" // 421: a Host that this server does not answer for
	CodeForeignOrigin    = "origin_not_allowed"  // 403: a page of another origin
	CodeRequestTooLarge  = "request_too_large"   // 413: the body, or the batch in it
	CodeMethodNotAllowed = "method_not_allowed"  // 405
	CodeNotFound         = "not_found"           // 404

	CodeUnsupportedMediaType = "unsupported_media_type" // 415: the body is not declared as JSON
	CodeInternal             = "internal"               // 500: a fault of this server
)

// kinds are the type and the code of a refusal by its status.
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

// problem is a refusal that does not depend on the caller (interfaces.md, Hosted routes). Package auth has those that do.
type problem struct {
	status     int // of kinds; another has the type and the code of a 400
	message    string
	retryAfter time.Duration // rounded up to whole seconds
	allow      string        // the methods that a 405 names
}

var (
	misdirected = &problem{
		status:  http.StatusMisdirectedRequest,
		message: "This server does not answer for the host that was asked for. Use its public URL; its operator can allow further hosts with --allowed-host.",
	}
	foreignOrigin = &problem{
		status:  http.StatusForbidden,
		message: "Pages of other origins may not use this server. Connect with an MCP client that is no web page, or from the server's own origin.",
	}
	tooLarge    = &problem{status: http.StatusRequestEntityTooLarge, message: "The body is larger than 262144 bytes. Send less at once."}
	unreadable  = &problem{status: http.StatusBadRequest, message: "The body broke off or took too long. Send it again."}
	wrongMethod = &problem{status: http.StatusMethodNotAllowed, message: "Messages are sent with POST.", allow: "POST, GET, DELETE"}
	noSuchPage  = &problem{status: http.StatusNotFound, message: "There is nothing at this path. The index at / names what there is."}
)

func (p *problem) write(w http.ResponseWriter, requestID string) {
	kind, isKnown := kinds[p.status]
	if !isKnown {
		kind = kinds[http.StatusBadRequest]
	}
	p.announce(w.Header())
	toolcall.WriteJSON(w, p.status, textJSON, "no-store", auth.ErrorBody(kind.name, kind.code, p.message, requestID))
}

// announce sets the headers that say when and how to ask again.
func (p *problem) announce(header http.Header) {
	auth.SetRetryAfter(header, p.retryAfter)
	if p.allow != "" {
		header.Set("Allow", p.allow)
	}
}

const textJSON = toolcall.MediaJSON + "; charset=utf-8"

// refusalWriter gives the SDK's own refusals, which are lines of plain text, the form of every other refusal of
// this server: a client finds code and request id in the same place, whichever refused.
type refusalWriter struct {
	http.ResponseWriter
	requestID string
	status    int // of a refusal whose text is still to come, else 0
}

// refusalMost bounds the text that the SDK gives, in bytes. Parts of it can be the client's.
const refusalMost = 300

// WriteHeader keeps the status of a refusal back until its text comes.
func (w *refusalWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes the whole refusal. The SDK gives its text at once.
func (w *refusalWriter) Write(text []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(text)
	}
	message := strings.ToValidUTF8(strings.TrimSpace(string(text[:min(len(text), refusalMost)])), "")
	(&problem{status: w.status, message: message}).write(w.ResponseWriter, w.requestID)
	w.status = 0
	return len(text), nil
}

// Unwrap gives the writer that knows the connection.
func (w *refusalWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
