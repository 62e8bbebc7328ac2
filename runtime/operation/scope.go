package operation

import "slices"

// scope keeps the stream and the connection that were asked for, for servers that ignore or reject the
// selectors (R-SCH-1, R-SCH-4).
func (d *document) scope(input SchemaInput) {
	if input.Stream == nil && input.ConnectionID == nil {
		return
	}
	for _, c := range d.connectors {
		before := len(c.streams) + len(c.connections)
		if input.ConnectionID != nil {
			c.keepConnection(*input.ConnectionID)
		}
		if input.Stream != nil {
			c.streams = slices.DeleteFunc(c.streams, func(s *stream) bool { return s.name != *input.Stream })
		}
		c.changed = c.changed || len(c.streams)+len(c.connections) != before
	}
	before := len(d.connectors)
	if d.connectors = slices.DeleteFunc(d.connectors, func(c *connector) bool { return len(c.streams) == 0 }); len(d.connectors) < before {
		d.sent = nil
	}
	if input.Stream != nil {
		for _, c := range d.connectors {
			c.keepConnectionsOfStreams()
		}
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
		stream.connections = slices.DeleteFunc(slices.Clone(stream.connections), others)
	}
	c.connections = slices.DeleteFunc(c.connections, others)
	c.hoistConnections()
}

// keepConnectionsOfStreams takes off the connections that have none of the streams that are left. A
// stream without connections of its own has all.
func (c *connector) keepConnectionsOfStreams() {
	needed := &seenIDs{}
	for _, s := range c.streams {
		if len(s.connections) == 0 {
			return
		}
		for _, connection := range s.connections {
			needed.add(connection.id)
		}
	}
	c.connections = slices.DeleteFunc(c.connections, func(one connection) bool { return needed.add(one.id) })
	c.hoistConnections()
}

func (d *document) streamCount() int {
	count := 0
	for _, c := range d.connectors {
		count += len(c.streams)
	}
	return count
}
