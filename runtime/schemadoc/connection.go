package schemadoc

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Connection is one source that was granted.
type Connection struct {
	ID    string        // not empty
	Label string        // for people; may be empty
	Row   rawjson.Value // the object as the server spelled it; nil when a stream or a connector names its connection itself
}

// readConnections reads a list of connections, each of them once.
func readConnections(c *cursor) []Connection {
	var connections []Connection
	for inside := c.Enter(rawjson.ArrayValue); inside && c.more(); {
		if connection := readConnection(c); connection.ID != "" {
			connections = append(connections, connection)
		}
	}
	return distinct(connections)
}

func readConnection(c *cursor) Connection {
	var connection Connection
	otherLabel := ""
	start := c.At()
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		switch name := c.Name(); string(name) {
		case "connection_id":
			connection.ID = rawjson.TextOf(c.Value())
		case "display_name":
			connection.Label = rawjson.TextOf(c.Value())
		case "label":
			otherLabel = rawjson.TextOf(c.Value())
		default:
			c.Value()
		}
	}
	if connection.Label == "" {
		connection.Label = otherLabel
	}
	connection.Row = c.Since(start)
	return connection
}

// orOwn are the connections, or the one that a row or a connector names itself when it lists none.
func orOwn(connections []Connection, members rawjson.Object) []Connection {
	if id := members.Text("connection_id"); id != "" && len(connections) == 0 {
		return []Connection{{ID: id, Label: members.Text("display_name")}}
	}
	return connections
}

// distinct keeps the first connection of each id, in its place.
func distinct(connections []Connection) []Connection {
	if len(connections) < 2 {
		return connections
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(connections, func(c Connection) bool {
		again := seen[c.ID]
		seen[c.ID] = true
		return again
	})
}

// hoistConnections lists the connections of streams at the connector as well, each once, and takes them
// off the streams that have all of them (R-SCH-1).
func (c *Connector) hoistConnections() {
	all := slices.Clip(c.Connections)
	for _, stream := range c.Streams {
		all = append(all, stream.Connections...)
	}
	all = distinct(all)
	c.Connections = all
	for _, stream := range c.Streams {
		if len(stream.Connections) > 0 && len(stream.Connections) == len(c.Connections) {
			stream.Connections = nil
		}
	}
}

// mergeStreams makes one row of rows that say the same of one stream for several connections, as servers
// send them that list a stream once for each connection.
func (c *Connector) mergeStreams() {
	first := make(map[string]*Stream, len(c.Streams))
	merged := map[*Stream]bool{}
	c.Streams = slices.DeleteFunc(c.Streams, func(s *Stream) bool {
		before := first[s.Name]
		if before == nil {
			first[s.Name] = s
			return false
		}
		if !before.says(s) {
			return false
		}
		before.Connections = append(before.Connections, s.Connections...)
		merged[before] = true
		return true
	})
	for stream := range merged {
		stream.Connections = distinct(stream.Connections)
	}
}

// sourceNames are the members of a row that tell its source, not what can be asked of the stream.
var sourceNames = []string{
	"granted_connections", "connection_id", "connector_instance_id", "instance_ids", "display_name",
	"record_count", "last_updated", "freshness",
}

func (s *Stream) says(other *Stream) bool {
	if len(s.Connections) == 0 || len(other.Connections) == 0 {
		return bytes.Equal(s.Row, other.Row)
	}
	return bytes.Equal(s.Object().Without(sourceNames...).Encode(), other.Object().Without(sourceNames...).Encode())
}

// ConnectionsOf are the connections that have a stream of the connector. They are empty when the server names none.
func (c *Connector) ConnectionsOf(s *Stream) []Connection {
	if len(s.Connections) > 0 {
		return s.Connections
	}
	return c.Connections
}

// HasConnection reports whether one of the connections has an id.
func HasConnection(connections []Connection, id string) bool {
	return slices.ContainsFunc(connections, func(c Connection) bool { return c.ID == id })
}

// ConnectorKey is the short name of the connector: gmail, also where the RS sends a URL that ends
// in it. Empty when unknown.
func ConnectorKey(members rawjson.Object) string {
	sent := members.FirstText("connector_key", "connector_id")
	if !strings.Contains(sent, "/") {
		return sent
	}
	if short := members.Text("connector_id"); short != "" && !strings.Contains(short, "/") {
		return short
	}
	address, err := url.Parse(sent)
	if err != nil || strings.Trim(address.Path, "/") == "" {
		return sent
	}
	return path.Base(address.Path)
}
