package connect

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// grantMembers are the members of a grant, as agent connect gives it, that a detail of RFC 9396 has too.
var grantMembers = []string{"source", "access_mode", "purpose_code", "purpose_description", "streams"}

// details gives what the owner approved, in the words of the authorization server: authorization_details of a token endpoint
// or the grant of agent connect; nil when the answer has neither (capture 868e).
func (g *granted) details() rawjson.Value {
	if details, isArray := rawjson.Elements(g.answer.members.Get("authorization_details")); isArray && len(details) > 0 {
		return rawjson.Array(details)
	}
	grant, _ := rawjson.ParseObject(g.answer.members.Get("grant"))
	if grant.Get("streams") == nil {
		return nil
	}
	detail := rawjson.Object{rawjson.String("type", dataAccess)}
	for _, name := range grantMembers {
		if value := grant.Get(name); value != nil {
			detail = append(detail, rawjson.Raw(name, value))
		}
	}
	return rawjson.Array([]rawjson.Value{detail.Encode()})
}

// readDetails are the details that a schema shows: connectors, streams, connections and fields. Times and the access mode
// do not stand in a schema.
func readDetails(document *schemadoc.Document) rawjson.Value {
	details := []authorizationDetail{}
	for _, connector := range document.Connectors {
		detail := authorizationDetail{Type: dataAccess, Source: connector.Members.Get("source"), Streams: []detailedStream{}}
		if _, isObject := rawjson.ParseObject(detail.Source); !isObject {
			detail.Source = sourceOf(connector.Key)
		}
		for _, stream := range connector.Streams {
			read := Stream{Name: stream.Name}
			for _, connection := range connector.ConnectionsOf(stream) {
				read.Connections = append(read.Connections, connection.ID)
			}
			for _, field := range schemadoc.Fields(stream.Object()) {
				read.Fields = append(read.Fields, field.Name)
			}
			detail.Streams = append(detail.Streams, detailedStream{Stream: read})
		}
		details = append(details, detail)
	}
	encoded, _ := json.Marshal(details) // they are made of strings and JSON
	return encoded
}
