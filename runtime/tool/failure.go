package tool

import (
	"encoding/json"
	"errors"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Failed returns a result that a model can act on, from the error of a Run (R-ERR-1, R-ERR-2). The error
// object stands in structured.error and, as the same JSON on one line without unseen characters, in the text. An error of a kind that Run
// does not promise becomes code internal, and its text is not shown, since nobody has judged it.
func Failed(err error) *Result {
	failed := describe(err)
	var members object
	members.set(rawjson.Raw("error", failed.object))
	if failed.status != 0 {
		members.set(rawjson.Int("http_status", int64(failed.status)))
	}
	members.text("request_id", ShownRequestID(failed.requestID))
	members.text("provider_url", ProviderOrigin(failed.url))
	return &Result{Text: rawjson.Visible(failed.text()), Structured: members.Encode(), Meta: failed.meta, IsError: true}
}

// failure is an error object with the members next to it.
type failure struct {
	object    json.RawMessage
	status    int
	requestID string
	url       string
	meta      map[string]json.RawMessage // what is for hosts, not for models

	nextNamesConnections bool // of an ambiguous call
}

// text is the error object as a model reads it that sees only text. It lists no connections if next names each, and
// retry_with names the argument.
func (f failure) text() json.RawMessage {
	if !f.nextNamesConnections {
		return f.object
	}
	return objectOf(f.object).Without("param", "available_connections").Encode()
}

func describe(err error) failure {
	var refused *rs.Error
	var unusable *rs.Failure
	var own *Error
	explained := &Explained{}
	errors.As(err, &explained) // else nothing is explained
	switch {
	case errors.As(err, &own):
		return failure{object: own.object(explained), nextNamesConnections: explained.NextNamesConnections}
	case errors.As(err, &refused):
		object, meta := refusal(refused, explained)
		return failure{object: object, status: refused.Status, requestID: refused.RequestID, url: refused.URL, meta: meta}
	case errors.As(err, &unusable):
		members := adapterError(string(unusable.Reason), unusable.Text())
		members.text("request_id", ShownRequestID(unusable.RequestID))
		return failure{object: members.bounded().Encode(), status: unusable.Status, requestID: unusable.RequestID, url: unusable.URL}
	}
	return failure{object: adapterError(string(Internal),
		"the adapter failed on this call; try again, and ask its operator to look into the log if it fails again").Encode()}
}

// adapterError begins the error object of what no resource server said.
func adapterError(code, message string) object {
	return object{rawjson.Object{rawjson.String("type", "adapter_error"), rawjson.String("code", code), rawjson.String("message", message)}}
}

// object gives the error object of an adapter error.
func (e *Error) object(explained *Explained) json.RawMessage {
	members := adapterError(string(e.Code), e.Message)
	members.text("param", e.Param)
	members.text("did_you_mean", e.DidYouMean)
	if len(e.Accepted) > 0 && explained.Accepted == nil {
		members.set(rawjson.Strings("accepted", e.Accepted))
	}
	members.raw("next", e.Next)
	explained.addTo(&members)
	members.text("retry_with", e.RetryWith)
	members.raw("available_connections", e.AvailableConnections)
	if e.AvailableTotal > 0 {
		members.truncated(e.AvailableTotal)
	}
	members.raw("unavailable_connections", e.UnavailableConnections)
	return members.bounded().Encode()
}

// addTo adds what would do to an error object, where it does not say so itself.
func (e *Explained) addTo(members *object) {
	members.missing("param", e.Param)
	members.missing("did_you_mean", e.DidYouMean)
	if len(e.Accepted) > 0 && members.Get("accepted") == nil {
		members.set(rawjson.Strings("accepted", e.Accepted))
	}
	members.missing("hint", e.Hint)
	if e.Next != nil && members.Get("next") == nil {
		members.set(rawjson.Raw("next", e.Next))
	}
}
