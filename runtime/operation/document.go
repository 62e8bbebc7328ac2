package operation

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/render"
	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// schema is a schema document, compact or full, taken apart as far as it is shown.
type schema struct {
	body       rawjson.Object
	connectors []*connector
	scoped     bool // something was taken out here that the server had left in
}

// connector is one connector and the streams that the grant gives of it.
type connector struct {
	members     rawjson.Object
	key         string
	streams     []*stream
	connections []connection
}

// stream is one stream row.
type stream struct {
	members     rawjson.Object
	name        string
	connections []connection // its own; empty when those of the connector hold
}

// connection is one source that was granted.
type connection struct {
	id      string
	label   string
	members rawjson.Object
}

// parseSchema takes a document apart. Older servers wrap it in one more data object, or list streams
// without connectors. A document with neither is an *rs.Failure.
func parseSchema(response *rs.Response) (*schema, error) {
	body, err := render.OpenBody(response)
	if err != nil {
		return nil, err
	}
	if inner, ok := rawjson.ParseObject(body.Get("data")); ok && !listed(body) && listed(inner) {
		body = inner
	}
	if !listed(body) {
		return nil, render.Unusable(response, "the resource server's answer is not a schema: it has no connectors", nil)
	}
	document := &schema{body: body}
	if rows, ok := rawjson.Elements(body.Get("connectors")); ok {
		for _, row := range rows {
			if members, ok := rawjson.ParseObject(row); ok {
				document.connectors = append(document.connectors, parseConnector(members))
			}
		}
		return document, nil
	}
	rows, _ := rawjson.Elements(body.Get("streams"))
	document.connectors = groupStreams(rows)
	return document, nil
}

func listed(body rawjson.Object) bool {
	return rawjson.Kind(body.Get("connectors")) == rawjson.ArrayValue || rawjson.Kind(body.Get("streams")) == rawjson.ArrayValue
}

func parseConnector(members rawjson.Object) *connector {
	c := &connector{
		members:     members,
		key:         render.ConnectorKey(members),
		connections: parseConnections(members),
	}
	rows, _ := rawjson.Elements(members.Get("streams"))
	for _, row := range rows {
		if stream := parseStream(row); stream != nil {
			c.streams = append(c.streams, stream)
		}
	}
	c.hoistConnections()
	return c
}

// parseStream takes a row apart; a bare string is a row that has only a name.
func parseStream(row []byte) *stream {
	if name, ok := rawjson.Text(row); ok && name != "" {
		return &stream{members: rawjson.Object{rawjson.String("name", name)}, name: name}
	}
	members, _ := rawjson.ParseObject(row)
	if name := members.FirstText("name", "stream"); name != "" {
		return &stream{members: members, name: name, connections: parseConnections(members)}
	}
	return nil
}

// groupStreams makes connectors of rows that stand without them.
func groupStreams(rows []rawjson.Value) []*connector {
	var connectors []*connector
	for _, row := range rows {
		stream := parseStream(row)
		if stream == nil {
			continue
		}
		key := render.ConnectorKey(stream.members)
		at := slices.IndexFunc(connectors, func(c *connector) bool { return c.key == key })
		if at < 0 {
			at = len(connectors)
			created := &connector{key: key}
			if key != "" {
				created.members = rawjson.Object{rawjson.String("connector_key", key)}
			}
			connectors = append(connectors, created)
		}
		connectors[at].streams = append(connectors[at].streams, stream)
	}
	for _, connector := range connectors {
		connector.hoistConnections()
	}
	return connectors
}

// parseConnections reads granted_connections, or the connection that a row names itself. Each
// connection is kept once.
func parseConnections(members rawjson.Object) []connection {
	rows, _ := rawjson.Elements(members.Get("granted_connections"))
	if len(rows) == 0 && members.Text("connection_id") != "" {
		own := rawjson.Object{rawjson.String("connection_id", members.Text("connection_id"))}
		if label := members.Text("display_name"); label != "" {
			own = append(own, rawjson.String("display_name", label))
		}
		rows = []rawjson.Value{own.Encode()}
	}
	var connections []connection
	for _, row := range rows {
		object, _ := rawjson.ParseObject(row)
		id := object.Text("connection_id")
		if id != "" && !hasConnection(connections, id) {
			connections = append(connections, connection{id: id, label: object.FirstText("display_name", "label"), members: object})
		}
	}
	return connections
}

// hoistConnections lists the connections of streams at the connector as well, each once, and takes them
// off the streams that have all of them (R-SCH-1).
func (c *connector) hoistConnections() {
	for _, stream := range c.streams {
		for _, connection := range stream.connections {
			if !hasConnection(c.connections, connection.id) {
				c.connections = append(c.connections, connection)
			}
		}
	}
	for _, stream := range c.streams {
		if len(stream.connections) == len(c.connections) {
			stream.connections = nil
		}
	}
}

// connectionsOf are the sources that have a stream of the connector.
func (c *connector) connectionsOf(s *stream) []connection {
	if len(s.connections) > 0 {
		return s.connections
	}
	return c.connections
}

func hasConnection(connections []connection, id string) bool {
	return slices.ContainsFunc(connections, func(c connection) bool { return c.id == id })
}
