package rs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// refusal turns an answer outside 2xx into an *Error. Four shapes occur (rs-contract.md): the PDPP
// envelope {"error":{…}}, OAuth {error, error_description}, framework {message, error, statusCode},
// and bodies that are no JSON object, such as a proxy's page.
func (e *exchange) refusal(header http.Header, body []byte) *Error {
	refused := &Error{
		Status:     e.status,
		Type:       typeOfStatus(e.status),
		Code:       codeOfStatus(e.status),
		RequestID:  e.requestID,
		RetryAfter: e.client.secrets.text(header.Get("Retry-After")),
		URL:        e.shownURL,
	}
	if compact, problem := compactObject(body); problem == "" {
		refused.describe(compact)
	}
	if refused.Message == "" {
		refused.Message = fmt.Sprintf("the resource server answered %d %s without saying why; %s",
			e.status, http.StatusText(e.status), nextStep(e.status))
	}
	return refused
}

// describe takes from the body what it says of the refusal. What it does not say stays derived.
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
	// OAuth's error is a code; a framework's is the reason phrase, which says no more than the status.
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
