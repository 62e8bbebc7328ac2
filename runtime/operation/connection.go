package operation

import (
	"bytes"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/render"
)

// connection is one source that was granted.
type connection struct {
	id    string
	label string
	row   []byte // the object as the server spelled it; nil when the row names its connection itself
}

// handleMaximum bounds a connection_id in bytes. A longer one is not shown: it could not be passed on in
// a call of any sense, and it is counted with those that are left out.
const handleMaximum = 200

// parseConnections reads a list of connections and adds those that are not known yet.
func parseConnections(s *scanner, known []connection) []connection {
	seen := seenConnections(known)
	s.array(func() {
		if s.peek() != '{' {
			return
		}
		var c connection
		other := ""
		start := s.at
		s.object(func(name []byte) {
			switch string(name) {
			case "connection_id":
				c.id = firstOf(c.id, textOf(s.value()))
			case "display_name":
				c.label = firstOf(c.label, textOf(s.value()))
			case "label":
				other = textOf(s.value())
			}
		})
		c.label = firstOf(c.label, other)
		c.row = s.text[min(start, s.at):s.at:s.at]
		if c.id != "" && seen.add(c.id) {
			known = append(known, c)
		}
	})
	return known
}

// addOwn adds the connection that a row or a connector names itself, when it lists none.
func addOwn(known []connection, members rawjson.Object) []connection {
	if id := members.Text("connection_id"); id != "" && len(known) == 0 {
		return []connection{{id: id, label: members.Text("display_name")}}
	}
	return known
}

// fewIDs is up to how many ids a list is searched faster than a map is made.
const fewIDs = 8

// seenIDs tells which ids were met. Few are the rule, so that a map is made for many only.
type seenIDs struct {
	few  []string
	many map[string]bool
}

func seenConnections(known []connection) *seenIDs {
	seen := &seenIDs{}
	for _, c := range known {
		seen.add(c.id)
	}
	return seen
}

// add tells whether an id is new.
func (s *seenIDs) add(id string) bool {
	if s.many == nil && len(s.few) < fewIDs {
		if slices.Contains(s.few, id) {
			return false
		}
		s.few = append(s.few, id)
		return true
	}
	if s.many == nil {
		s.many = map[string]bool{}
		for _, known := range s.few {
			s.many[known] = true
		}
	}
	if s.many[id] {
		return false
	}
	s.many[id] = true
	return true
}

// hoistConnections lists the connections of streams at the connector as well, each once, and takes them
// off the streams that have all of them (R-SCH-1).
func (c *connector) hoistConnections() {
	seen := seenConnections(c.connections)
	for _, stream := range c.streams {
		for _, connection := range stream.connections {
			if seen.add(connection.id) {
				c.connections, c.changed = append(c.connections, connection), true
			}
		}
	}
	for _, stream := range c.streams {
		if len(stream.connections) > 0 && len(stream.connections) == len(c.connections) {
			stream.connections, c.changed = nil, true
		}
	}
}

// mergeRows makes one row of rows that say the same of one stream for several connections, as servers
// send them that list a stream once for each connection.
func (c *connector) mergeRows() {
	first := map[string]*stream{}
	c.streams = slices.DeleteFunc(c.streams, func(s *stream) bool {
		before := first[s.name]
		if before == nil {
			first[s.name] = s
			return false
		}
		if !before.says(s) {
			return false
		}
		seen := seenConnections(before.connections)
		for _, connection := range s.connections {
			if seen.add(connection.id) {
				before.connections = append(before.connections, connection)
			}
		}
		c.changed = true
		return true
	})
}

// sourceNames are the members of a row that tell its source, not what can be asked of the stream.
var sourceNames = []string{
	"granted_connections", "connection_id", "connector_instance_id", "instance_ids", "display_name",
	"record_count", "last_updated", "freshness",
}

func (s *stream) says(other *stream) bool {
	if len(s.connections) == 0 || len(other.connections) == 0 {
		return bytes.Equal(s.row, other.row)
	}
	return bytes.Equal(s.object().Without(sourceNames...).Encode(), other.object().Without(sourceNames...).Encode())
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

// usableConnections are the leading connections that can be shown, and how many are left out.
func usableConnections(connections []connection, most int) (shown []connection, left int) {
	for _, c := range connections {
		if len(shown) < most && len(c.id) <= handleMaximum {
			shown = append(shown, c)
		}
	}
	return shown, len(connections) - len(shown)
}

// tokens are a connection in text, its label at most so many characters.
func (c connection) tokens(label int) string {
	tokens := render.Token("connection_id", c.id)
	if shown := clip(c.label, label); shown != "" {
		tokens += " " + render.Token("display_name", shown)
	}
	return tokens
}

// brief is a connection in structured output: its id, and its label at most so many characters.
func (c connection) brief(label int) rawjson.Value {
	row := rawjson.Object{rawjson.String("connection_id", c.id)}
	if shown := clip(c.label, label); shown != "" {
		row = append(row, rawjson.String("display_name", shown))
	}
	return row.Encode()
}

// verbatim is a connection as the server sent it, save for the deprecated twin of its id.
func (c connection) verbatim() rawjson.Value {
	compact, err := rawjson.Compact(c.row)
	if err != nil || len(compact) == 0 {
		return c.brief(labelCharacters)
	}
	members, _ := rawjson.ParseObject(compact)
	return firsts(members).Without("connector_instance_id").Encode()
}
