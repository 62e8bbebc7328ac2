package tool

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

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

// connectionMember is the RS's name for a connection, in parameters and in answers.
const connectionMember = "connection_id"

// stepAfter returns what a model can do after a refusal by the RS (R-ERR-1): by retry_with, otherwise by code, otherwise by status. Next is
// a call of schema if that shows what would be accepted, otherwise nil.
func stepAfter(refused *rs.Error, members object) (hint string, next json.RawMessage) {
	known := adviceOn(refused)
	if members.Text("retry_with") == connectionMember {
		known = adviceFor["retry_with."+connectionMember]
		if members.Get("available_connections") != nil {
			known = adviceFor[string(AmbiguousConnection)]
		}
	}
	switch known.schema {
	case streamSchema:
		stream, connectionID := refused.Request.Path.Route().Stream, ""
		if stream != "" {
			connectionID, _ = refused.Request.Query.Get(connectionMember)
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

// adviceOn returns the advice for the code of a refusal, otherwise for its status, otherwise for the class of the status.
func adviceOn(refused *rs.Error) advice {
	status := strconv.Itoa(refused.Status)
	for _, key := range []string{refused.Code, status, status[:1] + "xx"} {
		if known, found := adviceFor[key]; found {
			return known
		}
	}
	return adviceFor["4xx"]
}

// IsAboutNames reports whether a refusal may be about a name that the schema shows, and not about the login, the load or the server's
// state.
func IsAboutNames(refused *rs.Error) bool {
	return adviceOn(refused).schema != noSchema || refused.Status == http.StatusNotFound
}
