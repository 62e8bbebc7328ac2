package rs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
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
	var members map[string]json.RawMessage
	if _, problem := compactObject(body); problem == "" && json.Unmarshal(body, &members) == nil {
		refused.describe(body, members)
	}
	if refused.Message == "" {
		refused.Message = fmt.Sprintf("the resource server answered %d %s without saying why; %s",
			e.status, http.StatusText(e.status), nextStep(e.status))
	}
	return refused
}

// describe takes from the body what it says of the refusal. What it does not say stays derived.
func (e *Error) describe(body []byte, members map[string]json.RawMessage) {
	e.Envelope = json.RawMessage(bytes.TrimSpace(body))
	inner := bytes.TrimSpace(members["error"])
	if len(inner) > 0 && inner[0] == '{' {
		e.Envelope = json.RawMessage(inner)
		members = nil // Unmarshal adds to a map that it is given
		if json.Unmarshal(inner, &members) != nil {
			return
		}
	}
	set := func(target *string, name string) {
		if text := stringOf(members[name]); text != "" {
			*target = text
		}
	}
	// OAuth's error is a code; a framework's is the reason phrase, which says no more than the status.
	if code := stringOf(members["error"]); oauthCode.MatchString(code) {
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

// stringOf is a JSON string's value, or nothing when the JSON is no string.
func stringOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}
