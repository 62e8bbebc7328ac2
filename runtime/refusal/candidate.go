package refusal

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// maxCandidates bounds the connections whose calls a refusal shows. The caller chooses among more by their labels.
const maxCandidates = 4

// connectionCalls returns the same call for each connection that an ambiguous call may be about, with its label (R-ERR-5). It
// returns nil if the refusal offers none or many, or if the call named one.
func (c call) connectionCalls(err error) json.RawMessage {
	at := slices.IndexFunc(c.Arguments, func(a tool.Argument) bool { return a.Complete == tool.CompleteConnection })
	if at < 0 || c.given.Get(c.Arguments[at].Name) != nil {
		return nil
	}
	offered, _ := rawjson.Elements(offeredBy(err))
	if len(offered) > maxCandidates {
		return nil
	}
	var calls []json.RawMessage
	for _, each := range offered {
		candidate, _ := rawjson.ParseObject(each)
		id := candidate.Text(connectionMember)
		if id == "" {
			return nil
		}
		call := c.call(rawjson.Object{rawjson.String(c.Arguments[at].Name, id)})
		if label := candidate.Text("display_name"); label != "" {
			call = append(call, rawjson.String("label", label))
		}
		calls = append(calls, call.Encode())
	}
	if calls == nil {
		return nil
	}
	return rawjson.Array(calls)
}

// connectionMember is how candidates name their connection.
const connectionMember = "connection_id"

// offeredBy returns the candidates of an ambiguous call.
func offeredBy(err error) json.RawMessage {
	var own *tool.Error
	var refused *rs.Error
	switch {
	case errors.As(err, &own) && own.Code == tool.AmbiguousConnection:
		return own.AvailableConnections
	case errors.As(err, &refused) && refused.Code == string(tool.AmbiguousConnection):
		envelope, _ := rawjson.ParseObject(refused.Envelope)
		return envelope.Get("available_connections")
	}
	return nil
}

// with returns the call with other arguments, once for each set of them, as continuations are written.
func (c call) with(replacements ...rawjson.Object) json.RawMessage {
	var calls []json.RawMessage
	for _, replaced := range replacements {
		calls = append(calls, c.call(replaced).Encode())
	}
	return rawjson.Array(calls)
}

// call returns the call with some arguments replaced. An argument with a nil value is left out.
func (c call) call(replaced rawjson.Object) rawjson.Object {
	arguments := slices.Clone(c.given)
	for _, member := range replaced {
		arguments = arguments.With(member.Name, distinct(member.Value))
	}
	arguments = slices.DeleteFunc(arguments, func(m rawjson.Member) bool { return m.Value == nil })
	return rawjson.Object{rawjson.String("tool", c.Name), rawjson.Raw("arguments", arguments.Encode())}
}

// distinct returns a list without repeated items, which a corrected name may have become, and any other value as it is.
func distinct(value json.RawMessage) json.RawMessage {
	items, isList := rawjson.Elements(value)
	if !isList {
		return value
	}
	var once []json.RawMessage
	for _, item := range items {
		if !slices.ContainsFunc(once, func(other json.RawMessage) bool { return bytes.Equal(item, other) }) {
			once = append(once, item)
		}
	}
	return rawjson.Array(once)
}
