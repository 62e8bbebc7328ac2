package schemadoc

import (
	"context"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Scope is what of a schema is wanted. The zero value is all of it.
type Scope struct {
	Stream       *string // nil: every stream
	ConnectionID *string // nil: every connection
}

// Request asks for the compact view of a scope, or for the full one. A server may refuse any of the parameters: view and
// detail are newer than the scope. What the answer lacks of them is done here (Document.Keep, Stream.Fields).
func (s Scope) Request(full bool) rs.Request {
	size := rs.Parameter{Name: "view", Value: "compact"}
	if full {
		size = rs.Parameter{Name: "detail", Value: "full"}
	}
	request := rs.Request{
		Path:     rs.JoinPath("v1", "schema"),
		Sources:  rs.SchemaOfSources{Stream: s.Stream, ConnectionID: s.ConnectionID},
		Optional: []string{size.Name, "stream", "connection_id"},
	}
	request.Query.Set(size.Name, size.Value)
	request.Query.String("stream", s.Stream)
	request.Query.String("connection_id", s.ConnectionID)
	return request
}

// Ask reads what the scope names, in the compact view, with the Get of a reader. The sources are for a reader of several grants;
// with nil it merges what each of them has. Its error is that of get or of Read.
func (s Scope) Ask(ctx context.Context, get func(context.Context, rs.Request) (*rs.Response, error), sources rs.Sources) (*Document, error) {
	request := s.Request(false)
	if sources != nil {
		request.Sources = sources
	}
	response, err := get(ctx, request)
	if err != nil {
		return nil, err
	}
	document, err := Read(response)
	if err != nil {
		return nil, err
	}
	document.Keep(s)
	return document, nil
}

// Keep keeps what the scope names, for servers that ignore or reject the selectors (R-SCH-1, R-SCH-4).
func (d *Document) Keep(wanted Scope) {
	if wanted.Stream == nil && wanted.ConnectionID == nil {
		return
	}
	for _, c := range d.Connectors {
		if wanted.ConnectionID != nil {
			c.keepConnection(*wanted.ConnectionID)
		}
		if wanted.Stream != nil {
			c.Streams = slices.DeleteFunc(c.Streams, func(s *Stream) bool { return s.Name != *wanted.Stream })
		}
	}
	d.Connectors = slices.DeleteFunc(d.Connectors, func(c *Connector) bool { return len(c.Streams) == 0 })
	if wanted.Stream != nil {
		for _, c := range d.Connectors {
			c.keepConnectionsOfStreams()
		}
	}
}

// keepConnection keeps what one connection has. A connector that names no connection at all was scoped
// by the server.
func (c *Connector) keepConnection(id string) {
	c.Streams = slices.DeleteFunc(c.Streams, func(s *Stream) bool {
		connections := c.ConnectionsOf(s)
		return len(connections) > 0 && !HasConnection(connections, id)
	})
	others := func(c Connection) bool { return c.ID != id }
	for _, stream := range c.Streams {
		stream.Connections = slices.DeleteFunc(stream.Connections, others)
	}
	c.Connections = slices.DeleteFunc(c.Connections, others)
	c.hoistConnections()
}

// keepConnectionsOfStreams takes off the connections that have none of the streams that are left. A
// stream without connections of its own has all.
func (c *Connector) keepConnectionsOfStreams() {
	needed := map[string]bool{}
	for _, s := range c.Streams {
		if len(s.Connections) == 0 {
			return
		}
		for _, connection := range s.Connections {
			needed[connection.ID] = true
		}
	}
	c.Connections = slices.DeleteFunc(c.Connections, func(one Connection) bool { return !needed[one.ID] })
	c.hoistConnections()
}
