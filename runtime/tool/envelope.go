package tool

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

const (
	adapterError = "adapter_error"

	maxEnvelope = 16_000 // bytes of an error object
	maxMessage  = 2_000  // bytes of a message, when the error object is too large
	maxMember   = 1_000  // bytes of any other member then, save available_connections
	maxSources  = 8_000  // bytes of available_connections then
)

// refusal is the RS's error object with every member as it was sent, in that order, and with the
// ones that a model relies on added where they are missing (R-ERR-1).
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
	missing("type", refused.Type)
	missing("code", refused.Code)
	missing("message", refused.Message)
	missing("request_id", refused.RequestID)
	missing("retry_after", refused.RetryAfter)
	return members.bounded().encode()
}

// known are the members that stay when an error object is too large (rs-contract.md, Envelopes).
var known = []string{
	"type", "code", "message", "param", "request_id", "retry_with", "accepted", "available_connections",
	"available_connections_total", "available_connections_truncated", "hint", "unavailable_connections", "retry_after", "resource_metadata", "next_step",
}

// bounded keeps an error object small enough for a tool result. What is left out is named in the
// member truncated, so that nobody takes the rest for the whole.
func (o object) bounded() object {
	if len(o.encode()) <= maxEnvelope {
		return o
	}
	var kept object
	for _, name := range known {
		value := o.value(name)
		switch {
		case len(value) == 0:
		case name == "message":
			kept.raw(name, clippedMessage(value))
		case name == "available_connections":
			kept.sources(value)
		case len(value) <= maxMember:
			kept.raw(name, value)
		}
	}
	kept.raw("truncated", encode(true))
	return kept
}

// clippedMessage shortens a JSON string and says that it did. A message of another JSON type is dropped.
func clippedMessage(value json.RawMessage) json.RawMessage {
	var message string
	if json.Unmarshal(value, &message) != nil {
		return nil
	}
	if len(message) > maxMessage {
		end := maxMessage
		for !utf8.RuneStart(message[end]) {
			end--
		}
		message = fmt.Sprintf("%s… (%d of %d bytes shown)", message[:end], end, len(message))
	}
	return encode(message)
}

// sources sets as many whole candidates as fit, with their total beside them (R-ERR-5).
func (o *object) sources(value json.RawMessage) {
	var candidates []json.RawMessage
	if json.Unmarshal(value, &candidates) != nil {
		return
	}
	size, shown := 2, 0
	for shown < len(candidates) && size+len(candidates[shown])+1 <= maxSources {
		size += len(candidates[shown]) + 1
		shown++
	}
	list, err := json.Marshal(candidates[:shown])
	if err != nil {
		return
	}
	o.raw("available_connections", list)
	if shown < len(candidates) {
		o.truncated(len(candidates))
	}
}

// truncated says that there are more candidates than are shown, and where to see them (R-ERR-5).
func (o *object) truncated(total int) {
	o.raw("available_connections_total", encode(total))
	o.raw("available_connections_truncated", encode(true))
	o.text("hint", "call schema to see every connection")
}
