package schemadoc

import (
	"context"
	"errors"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// Scope is a part of a schema. The zero value is the whole schema.
type Scope struct {
	Stream       *string // nil: every stream
	ConnectionID *string // nil: every connection
}

// Request returns the request for the compact or the full view. A server may refuse each parameter; Document.Keep then applies the scope.
func (s Scope) Request(isFull bool) rs.Request {
	view := rs.Parameter{Name: "view", Value: "compact"}
	if isFull {
		view = rs.Parameter{Name: "detail", Value: "full"}
	}
	request := rs.Request{
		Path:     rs.JoinPath("v1", "schema"),
		Sources:  rs.SchemaOfSources{Stream: s.Stream, ConnectionID: s.ConnectionID},
		Optional: []string{view.Name, "stream", "connection_id"},
	}
	request.Query.Set(view.Name, view.Value)
	request.Query.String("stream", s.Stream)
	request.Query.String("connection_id", s.ConnectionID)
	return request
}

// Ask reads the scope in the compact view. If sources is nil, a reader of several grants merges the schemas of all of them.
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

// Admit reads the compact schema and the kind of the reader's bearer, which must be a client's or unstated (R-STDIO-3). The error for any
// other kind is a *rs.KindError.
func Admit(ctx context.Context, reader rs.Reader) (*rs.Response, rs.Bearer, error) {
	schema, err := reader.Get(ctx, Scope{}.Request(false))
	if refused, ok := errors.AsType[*rs.Error](err); ok && refused.MeansPackageToken() {
		return nil, rs.Bearer{}, &rs.KindError{Kind: rs.KindPackage}
	}
	if err != nil {
		return nil, rs.Bearer{}, err
	}
	bearer, err := rs.SchemaBearer(schema.Body())
	if err != nil || !bearer.IsClient() {
		return nil, rs.Bearer{}, &rs.KindError{Kind: bearer.Kind, Cause: err}
	}
	return schema, bearer, nil
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

// keepConnection keeps the streams of one connection. Streams without connections stay, because the server has applied the scope.
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
