package refusal

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// candidatesCalled is of how many connections a refusal shows the call of each; the caller chooses among more by their names.
const candidatesCalled = 4

// ofEach is the same call of each connection that a refusal offers, be it the adapter's or the resource server's (R-ERR-5); nil
// when it offers none, more than a few, or the call named one.
func (c call) ofEach(err error) *tool.Explained {
	at := slices.IndexFunc(c.Arguments, func(a tool.Argument) bool { return a.Complete == tool.CompleteConnection })
	if at < 0 || c.given.Get(c.Arguments[at].Name) != nil {
		return nil
	}
	offered, _ := rawjson.Elements(offeredBy(err))
	if len(offered) > candidatesCalled {
		return nil
	}
	var calls []json.RawMessage
	for _, each := range offered {
		candidate, _ := rawjson.ParseObject(each)
		if id := candidate.Text(connectionMember); id != "" {
			calls = append(calls, c.call(rawjson.Object{rawjson.String(c.Arguments[at].Name, id)}))
		}
	}
	if calls == nil {
		return nil
	}
	return &tool.Explained{Next: rawjson.Array(calls)}
}

// connectionMember is how candidates name their connection.
const connectionMember = "connection_id"

// offeredBy are the connections that an ambiguous call may be of.
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
