package connect

import (
	"encoding/json"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// grantMembers are the members that a grant of agent connect and an RFC 9396 detail share.
var grantMembers = []string{"source", "access_mode", "purpose_code", "purpose_description", "streams"}

// details returns the approved access as the authorization server describes it: the authorization_details of a token endpoint or the
// grant of agent connect. It is nil if the response has neither (capture 868e).
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

// readDetails derives details from a schema: connectors, streams, connections and fields. A schema has no time ranges or access mode.
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
	encoded, _ := json.Marshal(details) // strings and JSON always encode
	return encoded
}
