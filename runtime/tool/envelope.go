package tool

import (
	"encoding/json"
	"net/http"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// signInMeta is where the RS's advice on signing in stands when a name was wrong and not the login (R-ERR-7).
const signInMeta = "dev.pdpp/sign_in"

// refusal is the RS's error object with every member as it was sent, in that order, and with the
// ones that a model relies on added where they are missing (R-ERR-1), and what is for hosts alone. A type, code or message that
// is not a text gives way to one, since clients read them as texts.
func refusal(refused *rs.Error, explained *Explained) (json.RawMessage, map[string]json.RawMessage) {
	members := objectOf(refused.Envelope)
	for _, member := range []struct{ name, value string }{
		{"type", refused.Type}, {"code", refused.Code}, {"message", refused.Message},
	} {
		if rawjson.Kind(members.Get(member.name)) != rawjson.StringValue {
			members.text(member.name, member.value)
		}
	}
	members.missing("request_id", refused.RequestID)
	members.missing("retry_after", refused.RetryAfter)
	explained.addTo(&members)
	hint, next := stepAfter(refused, members)
	members.missing("hint", hint)
	if next != nil && explained.Hint == "" && members.Get("next") == nil {
		members.set(rawjson.Raw("next", next))
	}
	var meta map[string]json.RawMessage
	if refused.Status == http.StatusUnauthorized && IsAboutNames(refused) {
		meta = members.takeSignIn()
	}
	if explained.Hint != "" {
		members.first("hint")
	}
	return members.bounded().Encode(), meta
}

// takeSignIn takes out what the RS advises on signing in.
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
