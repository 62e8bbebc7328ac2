package schemadoc

import "slices"

// Names lists a document's streams and connections by name, for completion (R-MCP-1). It can be stored as JSON.
type Names []NamedStream

// NamedStream is a stream of one connector.
type NamedStream struct {
	Name        string       `json:"name"`
	Connector   string       `json:"connector,omitempty"`
	Connections []Connection `json:"connections,omitempty"`
}

// Names returns the names in the order of the document.
func (d *Document) Names() Names {
	names := make(Names, 0, d.StreamCount())
	for connector, stream := range d.Rows() {
		named := NamedStream{Name: stream.Name, Connector: connector.Key}
		for _, each := range connector.ConnectionsOf(stream) {
			named.Connections = append(named.Connections, Connection{ID: each.ID, Label: each.Label}) // without the memory of the response
		}
		names = append(names, named)
	}
	return names
}

// Streams returns the names of one connection's streams, or of all streams if the id is empty, in alphabetical order.
func (n Names) Streams(connectionID string) []string {
	var found []string
	for _, stream := range n {
		if connectionID == "" || HasConnection(stream.Connections, connectionID) {
			found = append(found, stream.Name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Connections returns the connections that have a stream, or all if it is empty, each once and in the order of the
// document.
func (n Names) Connections(stream string) []Connection {
	var found []Connection
	for _, each := range n {
		if stream == "" || each.Name == stream {
			found = append(found, each.Connections...)
		}
	}
	return distinct(found)
}
