package schemadoc

import "slices"

// Scope is a part of a schema. The zero value is the whole schema.
type Scope struct {
	Stream       *string // nil: every stream
	ConnectionID *string // nil: every connection
}

// ScopeOf returns the scope of a stream and a connection. An empty name does not limit it.
func ScopeOf(stream, connection string) (scope Scope) {
	if stream != "" {
		scope.Stream = &stream
	}
	if connection != "" {
		scope.ConnectionID = &connection
	}
	return scope
}

// FieldNames returns the names of the fields of all streams, in the order of their first occurrence.
func (d *Document) FieldNames() (names []string) {
	for _, stream := range d.Rows() {
		for _, field := range stream.Fields() {
			if !slices.Contains(names, field.Name) {
				names = append(names, field.Name)
			}
		}
	}
	return names
}

// Keep removes everything outside a scope, for servers that ignore or refuse its parameters (R-SCH-1, R-SCH-4).
func (d *Document) Keep(scope Scope) {
	for _, c := range d.Connectors {
		if scope.ConnectionID != nil {
			c.keepConnection(*scope.ConnectionID)
		}
		if scope.Stream != nil {
			c.keepStream(*scope.Stream)
		}
	}
	if scope.Stream != nil || scope.ConnectionID != nil {
		d.Connectors = slices.DeleteFunc(d.Connectors, func(c *Connector) bool { return len(c.Streams) == 0 })
	}
}

// keepConnection keeps the streams of one connection. Streams without connections stay, because the server has applied
// the scope.
func (c *Connector) keepConnection(id string) {
	c.Streams = slices.DeleteFunc(c.Streams, func(s *Stream) bool {
		connections := c.ConnectionsOf(s)
		return len(connections) > 0 && !HasConnection(connections, id)
	})
	isOther := func(c Connection) bool { return c.ID != id }
	for _, stream := range c.Streams {
		stream.Connections = slices.DeleteFunc(stream.Connections, isOther)
	}
	c.Connections = slices.DeleteFunc(c.Connections, isOther)
	c.hoistConnections()
}

func (c *Connector) keepStream(name string) {
	c.Streams = slices.DeleteFunc(c.Streams, func(s *Stream) bool { return s.Name != name })
	var needed []Connection
	for _, stream := range c.Streams {
		needed = append(needed, c.ConnectionsOf(stream)...)
	}
	c.Connections = slices.DeleteFunc(c.Connections, func(one Connection) bool { return !HasConnection(needed, one.ID) })
	c.hoistConnections()
}
