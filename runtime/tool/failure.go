package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Failed returns the error of a Run as a result that a model can act on (R-ERR-1, R-ERR-2). The error object is in
// structured.error and is the text, on one line. An error of an unexpected kind becomes the code internal; its message
// is not shown, since it may hold anything.
func Failed(err error) *Result {
	var failed object
	var siblings rawjson.Object         // of the error object
	var meta map[string]json.RawMessage // for hosts, not for models
	var refused *rs.Error
	var unusable *rs.Failure
	var tooLarge *answer.TooLargeError
	var own *Error
	explained := &Explained{}
	errors.As(err, &explained) // otherwise it stays empty
	switch {
	case errors.As(err, &own):
		failed = own.object(explained)
	case errors.As(err, &refused):
		failed, meta = refusal(refused, explained)
		siblings = readMembers(refused.Status, refused.RequestID, refused.URL)
	case errors.As(err, &tooLarge):
		failed = adapterError(string(rs.InvalidResponse), rs.Explain(tooLarge.Message, tooLarge.NextStep))
		failed.addTexts("request_id", ShownRequestID(tooLarge.RequestID))
		siblings = readMembers(tooLarge.Status, tooLarge.RequestID, tooLarge.URL)
	case errors.As(err, &unusable):
		failed = adapterError(string(unusable.Reason), unusable.Text())
		failed.addTexts("request_id", ShownRequestID(unusable.RequestID))
		siblings = readMembers(unusable.Status, unusable.RequestID, unusable.URL)
	default:
		failed = adapterError(string(Internal),
			"the adapter failed on this call; try again; if it fails again, ask its operator to check the log")
	}
	failed = failed.bounded()
	structured := append(rawjson.Object{rawjson.Raw("error", failed.Encode())}, siblings...)
	return &Result{Text: rawjson.Visible(failed.Encode()), Structured: structured.Encode(), Meta: meta, IsError: true}
}

// FailedAt returns the result of Failed with the origin of the provider that was or would have been read (R-ERR-8). The
// URL is empty if there are several providers.
func FailedAt(err error, providerURL string) *Result {
	result := Failed(err)
	if members, ok := rawjson.ParseObject(result.Structured); ok && members.Get("provider_url") == nil {
		result.Structured = append(members, rawjson.Texts("provider_url", ProviderOrigin(providerURL))...).Encode()
	}
	return result
}

// readMembers returns the members about the response to a failed read. The status may be 0.
func readMembers(status int, requestID, url string) rawjson.Object {
	members := rawjson.Texts("request_id", ShownRequestID(requestID), "provider_url", ProviderOrigin(url))
	if status == 0 {
		return members
	}
	return append(rawjson.Object{rawjson.Int("http_status", int64(status))}, members...)
}

// adapterError begins the error object of an error that does not come from the resource server.
func adapterError(code, message string) object {
	return object{rawjson.Object{rawjson.String("type", "adapter_error"), rawjson.String("code", code), rawjson.String("message", message)}}
}

// object returns the error object of an adapter error.
func (e *Error) object(explained *Explained) object {
	members := adapterError(string(e.Code), e.Message)
	members.addTexts("param", cmp.Or(explained.Param, e.Param), "did_you_mean", e.DidYouMean)
	if explained.Accepted == nil {
		members.addAccepted(e.Accepted)
	}
	members.add("next", e.Next)
	explained.addTo(&members)
	members.addTexts("retry_with", e.RetryWith)
	members.add("available_connections", e.AvailableConnections)
	if e.AvailableTotal > 0 {
		members.setTotal(e.AvailableTotal)
	}
	members.add("unavailable_connections", e.UnavailableConnections)
	return members
}

// addTo adds the explanation to an error object, except members that it has already.
func (e *Explained) addTo(members *object) {
	members.addTexts("param", e.Param, "did_you_mean", e.DidYouMean)
	members.addAccepted(e.Accepted)
	members.addTexts("hint", e.Hint)
	members.add("next", e.Next)
}

// signInMeta is the key in _meta for the RS's advice on signing in. The advice is moved there if a name was wrong,
// because a new sign-in does not help (R-ERR-7).
const signInMeta = "dev.pdpp/sign_in"

// refusal returns the RS's error object with every member as it was sent, and the members that a model relies on where
// they are missing (R-ERR-1). A type, code or message that is not a text is replaced. Meta is for hosts only.
func refusal(refused *rs.Error, explained *Explained) (object, map[string]json.RawMessage) {
	members := objectOf(refused.Envelope)
	for _, text := range rawjson.Texts("type", refused.Type, "code", refused.Code, "message", refused.Message) {
		if rawjson.Kind(members.Get(text.Name)) != rawjson.StringValue {
			members.set(text)
		}
	}
	members.addTexts("request_id", refused.RequestID, "retry_after", refused.RetryAfter)
	explained.addTo(&members)
	hint, next := stepAfter(refused, members)
	members.addTexts("hint", hint)
	if explained.Hint == "" {
		members.add("next", next)
	} else {
		members.Object = append(rawjson.Object{rawjson.Raw("hint", members.Get("hint"))}, members.Without("hint")...)
	}
	if refused.Status != http.StatusUnauthorized || !IsAboutNames(refused) {
		return members, nil
	}
	var advice rawjson.Object
	for _, name := range []string{"next_step", "resource_metadata"} {
		if value := members.Get(name); value != nil && len(value) <= memberBytes {
			advice = append(advice, rawjson.Raw(name, value))
		}
	}
	members.Object = members.Without("next_step", "resource_metadata")
	if advice == nil {
		return members, nil
	}
	return members, map[string]json.RawMessage{signInMeta: advice.Encode()}
}

// schemaPart is the part of the schema that shows what would be accepted.
type schemaPart int

const (
	noSchema schemaPart = iota
	streamSchema
	schemaIndex
)

type advice struct {
	schema schemaPart
	hint   string
}

// stepAfter returns what a model can do after a refusal by the RS (R-ERR-1): by retry_with, otherwise by code,
// otherwise by status. Next is a call of schema if that shows what would be accepted, otherwise nil.
func stepAfter(refused *rs.Error, members object) (hint string, next json.RawMessage) {
	known := adviceOn(refused)
	if members.Text("retry_with") == wire.ConnectionID {
		known = adviceFor["retry_with."+wire.ConnectionID]
		if members.Get("available_connections") != nil {
			known = adviceFor[string(AmbiguousConnection)]
		}
	}
	switch known.schema {
	case streamSchema:
		stream, connectionID := refused.Request.Path.Route().Stream, ""
		if stream != "" {
			connectionID, _ = refused.Request.Query.Get(wire.ConnectionID)
		}
		next = SchemaCall(stream, connectionID)
	case schemaIndex:
		next = SchemaCall("", "")
	}
	return known.hint, next
}

// SchemaCall returns a call of schema as an array of one continuation. Without a stream it lists all streams.
func SchemaCall(stream, connectionID string) json.RawMessage {
	arguments := rawjson.Texts(SchemaStream, stream, SchemaConnectionID, connectionID)
	call := rawjson.Object{rawjson.String("tool", SchemaTool), rawjson.Raw("arguments", arguments.Encode())}
	return rawjson.Array([]json.RawMessage{call.Encode()})
}

// adviceOn returns the advice for the code of a refusal, otherwise for its status, otherwise for the class of the
// status.
func adviceOn(refused *rs.Error) advice {
	status := strconv.Itoa(refused.Status)
	for _, key := range []string{refused.Code, status, status[:1] + "xx"} {
		if known, found := adviceFor[key]; found {
			return known
		}
	}
	return adviceFor["4xx"]
}

// IsAboutNames reports whether a refusal may be about a name that the schema shows, and not about the login, the load
// or the server's state.
func IsAboutNames(refused *rs.Error) bool {
	return adviceOn(refused).schema != noSchema || refused.Status == http.StatusNotFound
}
