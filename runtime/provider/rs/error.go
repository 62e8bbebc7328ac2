package rs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
)

// Error is a refusal by the RS (R-ERR-1). It keeps the whole error object, or the body if it has none.
type Error struct {
	Status    int             // HTTP status
	Type      string          // the envelope's type, or one derived from the status
	Code      string          // the envelope's code, or one derived from the status
	Message   string          // for people and models
	Envelope  json.RawMessage // the error object with every member that the RS sent; nil if the body was not a JSON object
	RequestID string

	// RetryAfter is the Retry-After header: seconds or an HTTP date (RFC 9110, section 10.2.3). It may be empty.
	RetryAfter string

	Request Request // what was asked; never holds a bearer
	URL     string  // absolute URL at the provider's public origin, even if the RS has another address; never holds a bearer
}

func (e *Error) Error() string {
	return fmt.Sprintf("resource server answered %d %s: %s", e.Status, e.Code, e.Message)
}

// Param returns the parameter that the refusal names, or "".
func (e *Error) Param() string {
	envelope, _ := rawjson.ParseObject(e.Envelope)
	return envelope.Text("param")
}

// EndsGrant reports whether the grant of the bearer has ended.
func (e *Error) EndsGrant() bool { return e.Code == "grant_revoked" || e.Code == "grant_expired" }

// NeedsSignIn reports whether a new token is needed, because this one or its grant has ended. Resource servers also
// answer 401 for a name outside the grant: a new token does not help there.
func (e *Error) NeedsSignIn() bool {
	if e.Code == "context.stream_not_allowed" || e.Code == "context.instance_mismatch" {
		return false
	}
	return e.EndsGrant() || e.Status == http.StatusUnauthorized
}

// MeansPackageToken reports whether this refusal of a request for the schema means that the bearer is a package token
// (R-STDIO-6; captures 206 and 891). A route that does not exist is answered in another form, without a code (capture
// 209).
func (e *Error) MeansPackageToken() bool {
	members, _ := rawjson.ParseObject(e.Envelope)
	return e.Status == http.StatusNotFound && members.Text("code") == CodeNotFound
}

const otherType = "api_error"

// derived has the type and the code of each status, for refusals without them.
var derived = map[int]struct{ kind, code string }{
	http.StatusBadRequest:            {"invalid_request_error", CodeInvalidRequest},
	http.StatusUnauthorized:          {"authentication_error", CodeAuthentication},
	http.StatusForbidden:             {"permission_error", CodePermission},
	http.StatusNotFound:              {"not_found_error", CodeNotFound},
	http.StatusConflict:              {otherType, CodeConflict},
	http.StatusGone:                  {"gone_error", CodeGone},
	http.StatusRequestEntityTooLarge: {otherType, CodeRequestTooLarge},
	http.StatusUnprocessableEntity:   {otherType, CodeUnprocessable},
	http.StatusTooManyRequests:       {"rate_limit_error", CodeRateLimit},
}

// refusal returns the *Error for a response outside 2xx. Four shapes occur (docs/provider-contract.md): the PDPP
// envelope {"error":{…}}, OAuth {error, error_description}, framework {message, error, statusCode}, and bodies that
// are not JSON objects, such as a proxy's page.
func (e *exchange) refusal(header http.Header, body []byte) *Error {
	refused := &Error{
		Status: e.status, Type: otherType, Code: CodeOther,
		URL:       e.shownURL,
		Request:   e.client.secrets.redactRequest(e.asked),
		RequestID: string(e.client.secrets.redactRefusal([]byte(e.requestID))), RetryAfter: string(e.client.secrets.redactRefusal([]byte(header.Get("Retry-After")))),
	}
	if known, ok := derived[e.status]; ok {
		refused.Type, refused.Code = known.kind, known.code
	}
	if document, problem := readObject(context.Background(), body); problem == "" {
		refused.describe(document)
	}
	if refused.Message == "" {
		refused.Message = Explain(fmt.Sprintf("the resource server answered %d %s without a reason", e.status, http.StatusText(e.status)),
			afterRefusal(e.status))
	}
	return refused
}

func (e *Error) describe(body json.RawMessage) {
	e.Envelope = body
	members, _ := rawjson.ParseObject(body)
	if inner, ok := rawjson.ParseObject(members.Get("error")); ok {
		e.Envelope, members = members.Get("error"), inner
	}
	set := func(target *string, name string) {
		if text := members.Text(name); text != "" {
			*target = text
		}
	}
	// OAuth's error is a code. A framework's is the reason phrase, which adds nothing to the status.
	if code := members.Text("error"); oauthCode.MatchString(code) {
		e.Code = code
	}
	set(&e.Type, "type")
	set(&e.Code, "code")
	set(&e.Message, "error_description")
	set(&e.Message, "message")
	if e.RequestID == "" {
		set(&e.RequestID, "request_id")
	}
}

var oauthCode = regexp.MustCompile(`^[a-z][a-z0-9_.]*$`)

func afterRefusal(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "connect again to get a new credential"
	case status == http.StatusForbidden:
		return "the grant does not cover this; its owner can approve a broader one"
	case status == http.StatusNotFound:
		return "check the names with schema, and that the provider URL is a PDPP resource server"
	case status == http.StatusTooManyRequests:
		return "wait, then try again"
	case status >= http.StatusInternalServerError:
		return "try again later"
	}
	return "change the arguments; schema shows what is supported"
}
