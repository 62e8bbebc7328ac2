package operation

import (
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/render/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// scope keeps the stream and the connection that were asked for, for servers that ignore the
// selectors (R-SCH-4).
func (s *schema) scope(input SchemaInput) {
	var kept []*connector
	for _, connector := range s.connectors {
		before := len(connector.streams) + len(connector.connections)
		if input.ConnectionID != nil {
			connector.keepConnection(*input.ConnectionID)
		}
		if input.Stream != nil {
			connector.streams = slices.DeleteFunc(connector.streams, func(s *stream) bool { return s.name != *input.Stream })
		}
		s.scoped = s.scoped || before != len(connector.streams)+len(connector.connections)
		if len(connector.streams) > 0 {
			kept = append(kept, connector)
		}
	}
	if input.Stream != nil || input.ConnectionID != nil {
		s.connectors = kept
	}
}

// keepConnection keeps what one connection has. A connector that names no connection at all was scoped
// by the server.
func (c *connector) keepConnection(id string) {
	c.streams = slices.DeleteFunc(c.streams, func(s *stream) bool {
		connections := c.connectionsOf(s)
		return len(connections) > 0 && !hasConnection(connections, id)
	})
	others := func(c connection) bool { return c.id != id }
	for _, stream := range c.streams {
		stream.connections = slices.DeleteFunc(stream.connections, others)
	}
	c.connections = slices.DeleteFunc(c.connections, others)
}

// candidate is one source of the streams that were asked for.
type candidate struct {
	connection
	connectorKey string
}

// sources are the connections of all rows, each once.
func (s *schema) sources() []candidate {
	var found []candidate
	for _, connector := range s.connectors {
		for _, stream := range connector.streams {
			for _, connection := range connector.connectionsOf(stream) {
				if !slices.ContainsFunc(found, func(c candidate) bool { return c.id == connection.id }) {
					found = append(found, candidate{connection, connector.key})
				}
			}
		}
	}
	return found
}

// candidatesShown bounds the candidates of one error.
const candidatesShown = 50

// ambiguous is the refusal to choose among several sources (R-SCH-7).
func ambiguous(stream string, sources []candidate) *tool.Error {
	var rows []rawjson.Value
	for _, source := range sources[:min(len(sources), candidatesShown)] {
		row := rawjson.Object{rawjson.String("connection_id", source.id)}
		if source.connectorKey != "" {
			row = append(row, rawjson.String("connector_key", source.connectorKey))
		}
		row = append(row, rawjson.String("stream", stream))
		if source.label != "" {
			row = append(row, rawjson.String("display_name", source.label))
		}
		rows = append(rows, row.Encode())
	}
	return &tool.Error{
		Code: tool.AmbiguousConnection,
		Message: fmt.Sprintf("the full schema of stream %q has %d sources; call again with the connection_id of one, "+
			"from available_connections (at most %d are listed; schema lists all)", stream, len(sources), candidatesShown),
		Param:                "connection_id",
		RetryWith:            "connection_id",
		AvailableConnections: rawjson.Array(rows),
	}
}
