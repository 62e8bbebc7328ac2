package schemadoc

import "slices"

// Names lists a document's streams and connections by name, for completion (R-MCP-1). It can be stored as JSON.
type Names []NamedStream

// NamedStream is a stream of one connector.
type NamedStream struct {
	Name        string            `json:"name"`
	Connector   string            `json:"connector,omitempty"`
	Connections []NamedConnection `json:"connections,omitempty"`
}

// NamedConnection is a connection by its id.
type NamedConnection struct {
	ID    string `json:"id"`
	Label string `json:"label,omitempty"` // for people
}

// Names returns the names in the order of the document.
func (d *Document) Names() Names {
	names := make(Names, 0, d.StreamCount())
	for connector, stream := range d.Rows() {
		named := NamedStream{Name: stream.Name, Connector: connector.Key}
		for _, connection := range connector.ConnectionsOf(stream) {
			named.Connections = append(named.Connections, NamedConnection{connection.ID, connection.Label})
		}
		names = append(names, named)
	}
	return names
}

// Streams returns the names of one connection's streams, or of all streams if the id is empty, in alphabetical order.
func (n Names) Streams(connectionID string) []string {
	var found []string
	for _, stream := range n {
		if connectionID == "" || slices.ContainsFunc(stream.Connections, func(c NamedConnection) bool { return c.ID == connectionID }) {
			found = append(found, stream.Name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Connections returns the connections that have a stream, or all if it is empty, each once and in the order of the document.
func (n Names) Connections(stream string) []NamedConnection {
	var found []NamedConnection
	seen := map[string]bool{}
	for _, each := range n {
		if stream != "" && each.Name != stream {
			continue
		}
		for _, connection := range each.Connections {
			if !seen[connection.ID] {
				seen[connection.ID] = true
				found = append(found, connection)
			}
		}
	}
	return found
}
