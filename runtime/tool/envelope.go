package tool

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

const adapterError = "adapter_error"

// refusal is the RS's error object with every member as it was sent, in that order, and with the
// ones that a model relies on added where they are missing (R-ERR-1). A type, code or message that is
// not a text gives way to one, since clients read them as texts.
func refusal(refused *rs.Error) json.RawMessage {
	members := objectOf(refused.Envelope)
	for _, member := range []struct{ name, value string }{
		{"type", refused.Type}, {"code", refused.Code}, {"message", refused.Message},
	} {
		if rawjson.Kind(members.Get(member.name)) != rawjson.StringValue {
			members.text(member.name, member.value)
		}
	}
	missing := func(name, value string) {
		if members.Get(name) == nil {
			members.text(name, value)
		}
	}
	missing("request_id", refused.RequestID)
	missing("retry_after", refused.RetryAfter)
	step := stepAfter(refused, members)
	missing("hint", step.hint)
	if step.schema != nil && members.Get("next") == nil {
		members.set(rawjson.Raw("next", step.schema.calls()))
	}
	return members.bounded().Encode()
}
