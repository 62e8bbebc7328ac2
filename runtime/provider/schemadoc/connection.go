package schemadoc

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Connection is one granted source.
type Connection struct {
	GrantID string `json:"-"` // of a document that merges those of several grants; otherwise empty

	ID    string        `json:"id"`              // not empty
	Label string        `json:"label,omitempty"` // for people
	Row   rawjson.Value `json:"-"`               // as the server sent it; nil if a stream or a connector names its only connection in its own members
}

// connections returns the connections of a row, each once: those that it lists, or the one that it names itself.
func (r *reader) connections(members rawjson.Object) []Connection {
	var connections []Connection
	for _, row := range r.elements(members.Get("granted_connections")) {
		own, _ := rawjson.ParseObject(row)
		if id := own.Text(wire.ConnectionID); id != "" {
			connections = append(connections, Connection{ID: id, Label: own.FirstText("display_name", "label"), Row: row})
		}
	}
	if id := members.Text(wire.ConnectionID); id != "" && connections == nil {
		connections = []Connection{{ID: id, Label: members.Text("display_name")}}
	}
	return distinct(connections)
}

func distinct(connections []Connection) []Connection {
	seen := map[string]bool{}
	return slices.DeleteFunc(connections, func(c Connection) bool {
		isRepeated := seen[c.ID]
		seen[c.ID] = true
		return isRepeated
	})
}

// hoistConnections lists the connections of the streams at the connector, and removes them from streams that have all
// of them (R-SCH-1).
func (c *Connector) hoistConnections() {
	all := slices.Clip(c.Connections)
	for _, stream := range c.Streams {
		all = append(all, stream.Connections...)
	}
	c.Connections = distinct(all)
	for _, stream := range c.Streams {
		if len(stream.Connections) == len(c.Connections) {
			stream.Connections = nil
		}
	}
}

// mergeStreams merges rows that differ only in their connections: some servers send a row for each connection of a
// stream.
func (c *Connector) mergeStreams() {
	first := map[string]*Stream{}
	c.Streams = slices.DeleteFunc(c.Streams, func(s *Stream) bool {
		earlier := first[s.Name]
		if earlier == nil {
			first[s.Name] = s
			return false
		}
		if !earlier.describesSame(s) {
			return false
		}
		earlier.Connections = append(earlier.Connections, s.Connections...)
		return true
	})
	for _, stream := range c.Streams {
		stream.Connections = distinct(stream.Connections)
	}
}

// sourceNames are the members of a row that describe its source, not what can be asked of the stream.
var sourceNames = []string{
	"granted_connections", wire.ConnectionID, "connector_instance_id", "instance_ids", "display_name",
	"record_count", "last_updated", "freshness",
}

func (s *Stream) describesSame(other *Stream) bool {
	if len(s.Connections) == 0 || len(other.Connections) == 0 {
		return bytes.Equal(s.Row, other.Row)
	}
	return bytes.Equal(s.Members.Without(sourceNames...).Encode(), other.Members.Without(sourceNames...).Encode())
}

// ConnectionsOf returns the connections that have a stream of the connector, or none if the server names none.
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

// ConnectorKey returns the short name of a connector, such as gmail, or "". If the RS sends only a URL, the name is the
// last segment of the URL.
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
