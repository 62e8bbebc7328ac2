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
	detail := rawjson.Object{}.With("type", rawjson.Quote(dataAccess))
	for _, name := range grantMembers {
		if value := grant.Get(name); value != nil {
			detail = detail.With(name, value)
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
			source = rawjson.Object{}.With("kind", rawjson.Quote("connector")).With("id", rawjson.Quote(connector.Key))
		}
		details = append(details, rawjson.Object{}.With("type", rawjson.Quote(dataAccess)).
			With("source", source.Encode()).With("streams", rawjson.Array(streams)).Encode())
	}
	return rawjson.Array(details)
}

func readStream(connector *schemadoc.Connector, stream *schemadoc.Stream) rawjson.Value {
	detail := rawjson.Object{}.With("name", rawjson.Quote(stream.Name))
	var connections, fields []rawjson.Value
	for _, connection := range connector.ConnectionsOf(stream) {
		connections = append(connections, rawjson.Quote(connection.ID))
	}
	for _, field := range schemadoc.Fields(stream.Object()) {
		fields = append(fields, rawjson.Quote(field.Name))
	}
	if connections != nil {
		detail = detail.With("instance_ids", rawjson.Array(connections))
	}
	if fields != nil {
		detail = detail.With("fields", rawjson.Array(fields))
	}
	return detail.Encode()
}
