package tool

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Failed returns the error of a Run as a result that a model can act on (R-ERR-1, R-ERR-2). The error object is in structured.error and is
// the text, on one line. An error of an unexpected kind becomes the code internal; its message is not shown, since it may hold anything.
func Failed(err error) *Result {
	var failed json.RawMessage
	var meta map[string]json.RawMessage // for hosts, not for models
	var status int
	var requestID, url string
	var refused *rs.Error
	var unusable *rs.Failure
	var own *Error
	explained := &Explained{}
	errors.As(err, &explained) // otherwise it stays empty
	switch {
	case errors.As(err, &own):
		failed = own.object(explained)
	case errors.As(err, &refused):
		failed, meta = refusal(refused, explained)
		status, requestID, url = refused.Status, refused.RequestID, refused.URL
	case errors.As(err, &unusable):
		members := adapterError(string(unusable.Reason), unusable.Text())
		members.setText("request_id", ShownRequestID(unusable.RequestID))
		failed, status, requestID, url = members.bounded().Encode(), unusable.Status, unusable.RequestID, unusable.URL
	default:
		failed = adapterError(string(Internal),
			"the adapter failed on this call; try again, and ask its operator to look into the log if it fails again").Encode()
	}
	var members object
	members.set(rawjson.Raw("error", failed))
	if status != 0 {
		members.set(rawjson.Int("http_status", int64(status)))
	}
	members.setText("request_id", ShownRequestID(requestID))
	members.setText("provider_url", ProviderOrigin(url))
	if own != nil && explained.NextNamesConnections { // Next and retry_with name them
		failed = objectOf(failed).Without("param", "available_connections").Encode()
	}
	return &Result{Text: rawjson.Visible(failed), Structured: members.Encode(), Meta: meta, IsError: true}
}

// adapterError begins the error object of an error that does not come from the resource server.
func adapterError(code, message string) object {
	return object{rawjson.Object{rawjson.String("type", "adapter_error"), rawjson.String("code", code), rawjson.String("message", message)}}
}

// object returns the error object of an adapter error.
func (e *Error) object(explained *Explained) json.RawMessage {
	members := adapterError(string(e.Code), e.Message)
	members.setText("param", e.Param)
	members.setText("did_you_mean", e.DidYouMean)
	if len(e.Accepted) > 0 && explained.Accepted == nil {
		members.set(rawjson.Strings("accepted", e.Accepted))
	}
	members.setJSON("next", e.Next)
	explained.addTo(&members)
	members.setText("retry_with", e.RetryWith)
	members.setJSON("available_connections", e.AvailableConnections)
	if e.AvailableTotal > 0 {
		members.setTotal(e.AvailableTotal)
	}
	members.setJSON("unavailable_connections", e.UnavailableConnections)
	return members.bounded().Encode()
}

// addTo adds the explanation to an error object, except members that it has already.
func (e *Explained) addTo(members *object) {
	members.addText("param", e.Param)
	members.addText("did_you_mean", e.DidYouMean)
	if len(e.Accepted) > 0 && members.Get("accepted") == nil {
		members.set(rawjson.Strings("accepted", e.Accepted))
	}
	members.addText("hint", e.Hint)
	if e.Next != nil && members.Get("next") == nil {
		members.set(rawjson.Raw("next", e.Next))
	}
}

// signInMeta is the key in _meta for the RS's advice on signing in. The advice is moved there if a name was wrong, because a new sign-in
// does not help (R-ERR-7).
const signInMeta = "dev.pdpp/sign_in"

// refusal returns the RS's error object with every member as it was sent, and the members that a model relies on where they are missing
// (R-ERR-1). A type, code or message that is not a text is replaced. Meta is for hosts only.
func refusal(refused *rs.Error, explained *Explained) (json.RawMessage, map[string]json.RawMessage) {
	members := objectOf(refused.Envelope)
	for _, member := range []struct{ name, value string }{
		{"type", refused.Type}, {"code", refused.Code}, {"message", refused.Message},
	} {
		if rawjson.Kind(members.Get(member.name)) != rawjson.StringValue {
			members.setText(member.name, member.value)
		}
	}
	members.addText("request_id", refused.RequestID)
	members.addText("retry_after", refused.RetryAfter)
	explained.addTo(&members)
	hint, next := stepAfter(refused, members)
	members.addText("hint", hint)
	if next != nil && explained.Hint == "" && members.Get("next") == nil {
		members.set(rawjson.Raw("next", next))
	}
	var meta map[string]json.RawMessage
	if refused.Status == http.StatusUnauthorized && IsAboutNames(refused) {
		meta = members.takeSignIn()
	}
	if explained.Hint != "" {
		members.moveToFront("hint")
	}
	return members.bounded().Encode(), meta
}

// takeSignIn removes the RS's advice on signing in, and returns it as meta.
func (o *object) takeSignIn() map[string]json.RawMessage {
	var advice rawjson.Object
	for _, name := range []string{"next_step", "resource_metadata"} {
		if value := o.Get(name); value != nil && len(value) <= memberBytes {
			advice = append(advice, rawjson.Raw(name, value))
		}
	}
	o.Object = o.Without("next_step", "resource_metadata")
	if advice == nil {
		return nil
	}
	return map[string]json.RawMessage{signInMeta: advice.Encode()}
}
