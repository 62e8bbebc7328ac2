package tool

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

const adapterError = "adapter_error"

// refusal is the RS's error object with every member as it was sent, in that order, and with the
// ones that a model relies on added where they are missing (R-ERR-1). A type, code or message that is
// not a text gives way to one, since clients read them as texts.
func refusal(refused *rs.Error) json.RawMessage {
	var members object
	sent, err := rs.Members(refused.Envelope)
	if err == nil {
		for _, member := range sent {
			members.raw(member.Name, member.Value)
		}
	}
	missing := func(name, value string) {
		if !members.has(name) {
			members.text(name, value)
		}
	}
	for _, member := range []struct{ name, value string }{
		{"type", refused.Type}, {"code", refused.Code}, {"message", refused.Message},
	} {
		if !members.isText(member.name) {
			members.text(member.name, member.value)
		}
	}
	missing("request_id", refused.RequestID)
	missing("retry_after", refused.RetryAfter)
	step := stepAfter(refused, members)
	missing("hint", step.hint)
	if step.schema != nil && !members.has("next") {
		members.raw("next", step.schema.calls())
	}
	return members.bounded().encode()
}
