package connect

import (
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
	var details []rawjson.Value
	for _, connector := range document.Connectors {
		var streams []rawjson.Value
		for _, stream := range connector.Streams {
			streams = append(streams, readStream(connector, stream))
		}
		source, _ := rawjson.ParseObject(connector.Members.Get("source"))
		if source == nil {
			source = rawjson.Object{rawjson.String("kind", "connector"), rawjson.String("id", connector.Key)}
		}
		detail := rawjson.Object{
			rawjson.String("type", dataAccess), rawjson.Raw("source", source.Encode()), rawjson.Raw("streams", rawjson.Array(streams)),
		}
		details = append(details, detail.Encode())
	}
	return rawjson.Array(details)
}

func readStream(connector *schemadoc.Connector, stream *schemadoc.Stream) rawjson.Value {
	detail := rawjson.Object{rawjson.String("name", stream.Name)}
	var connections, fields []string
	for _, connection := range connector.ConnectionsOf(stream) {
		connections = append(connections, connection.ID)
	}
	for _, field := range schemadoc.Fields(stream.Object()) {
		fields = append(fields, field.Name)
	}
	if connections != nil {
		detail = append(detail, rawjson.Strings("instance_ids", connections))
	}
	if fields != nil {
		detail = append(detail, rawjson.Strings("fields", fields))
	}
	return detail.Encode()
}
