package host

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Codes of refusals over HTTP that have nothing to do with who asks, as the table in interfaces.md
// has them. That of 429 is tool.RateLimitExceeded.
const (
	CodeMisdirected      = "misdirected_request" // 421: a Host that this server does not answer for
	CodeForeignOrigin    = "origin_not_allowed"  // 403: a page of another origin
	CodeRequestTooLarge  = "request_too_large"   // 413: the body, or the batch in it
	CodeInvalidRequest   = "invalid_request"     // 400: the body is not JSON, or broke off
	CodeMethodNotAllowed = "method_not_allowed"  // 405
	CodeNotFound         = "not_found"           // 404

	CodeUnsupportedMediaType = "unsupported_media_type" // 415: the body is not declared as JSON
	CodeInternal             = "internal"               // 500: a fault of this server
)

// problem is a refusal that has nothing to do with who asks (interfaces.md, Hosted routes). Those that
// have are of package auth.
type problem struct {
	status     int
	kind       string
	code       string
	message    string
	retryAfter time.Duration // rounded up to whole seconds
	allow      string        // the methods that a 405 names
}

func (p *problem) Error() string { return p.code + ": " + p.message }

var (
	misdirected = &problem{
		status: http.StatusMisdirectedRequest, kind: "api_error", code: CodeMisdirected,
		message: "This server does not answer for the host that was asked for. Use its public URL; its operator can allow further hosts with --allowed-host.",
	}
	foreignOrigin = &problem{
		status: http.StatusForbidden, kind: "permission_error", code: CodeForeignOrigin,
		message: "Pages of other origins may not use this server. Connect with an MCP client that is no web page, or from the server's own origin.",
	}
	tooLarge = &problem{
		status: http.StatusRequestEntityTooLarge, kind: "invalid_request_error", code: CodeRequestTooLarge,
		message: "The body is larger than 262144 bytes. Send less at once.",
	}
	unreadable = &problem{
		status: http.StatusBadRequest, kind: "invalid_request_error", code: CodeInvalidRequest,
		message: "The body broke off or took too long. Send it again.",
	}
	wrongMethod = &problem{
		status: http.StatusMethodNotAllowed, kind: "invalid_request_error", code: CodeMethodNotAllowed,
		message: "Messages are sent with POST.", allow: "POST, GET, DELETE",
	}
	noSuchPage = &problem{
		status: http.StatusNotFound, kind: "not_found_error", code: CodeNotFound,
		message: "There is nothing at this path. The index at / names what there is.",
	}
)

func (p *problem) write(w http.ResponseWriter, requestID string) {
	var body struct {
		Error struct {
			Type      string `json:"type"`
			Code      string `json:"code"`
			Message   string `json:"message"`
			RequestID string `json:"request_id"`
		} `json:"error"`
	}
	body.Error.Type, body.Error.Code, body.Error.Message, body.Error.RequestID = p.kind, p.code, p.message, requestID
	encoded, err := json.Marshal(body)
	if err != nil { // cannot happen: it is made of strings
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if p.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64((p.retryAfter+time.Second-1)/time.Second), 10))
	}
	if p.allow != "" {
		w.Header().Set("Allow", p.allow)
	}
	w.WriteHeader(p.status)
	// A client that hung up gets nothing.
	_, _ = w.Write(append(encoded, '\n'))
}

func notFound(w http.ResponseWriter, r *http.Request) {
	noSuchPage.write(w, requestOf(r.Context()).id)
}
