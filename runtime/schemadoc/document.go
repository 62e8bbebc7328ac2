// Package schemadoc reads what a resource server answers to GET /v1/schema: the streams that a grant gives, the
// connections that they come from, and what can be asked of their fields. Everybody who needs one of these reads it here,
// compact or full, of one grant or of a package. Of what kind the token is, rs.SchemaBearer tells.
//
// A document of several megabytes is read in one pass. What stands inside a row is read only of the rows that are asked
// (Stream.Object), and nothing is copied: a document shares memory with the response.
package schemadoc

import (
	"fmt"
	"iter"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

// Document is a schema document (rs-contract.md, Schema). Each stream is one row of a connector, and a connection that
// all streams of a connector have stands at the connector alone (R-SCH-1).
type Document struct {
	Members    rawjson.Object // of the envelope, without the connectors and the streams
	Connectors []*Connector
}

// Connector is one connector and the streams that the grant gives of it.
type Connector struct {
	Row         rawjson.Value  // the object as the server spelled it; nil when the streams stood without one
	Members     rawjson.Object // without the streams and the connections
	Key         string         // short name, such as gmail; empty when unknown
	Streams     []*Stream
	Connections []Connection
}

// Stream is one row of a connector.
type Stream struct {
	Row         rawjson.Value // the object as the server spelled it, or a string that is the name
	Name        string        // not empty
	Connections []Connection  // its own; empty when those of the connector hold

	connector rawjson.Object // the members that name a connector, for rows that stand without one
}

// maxEntries bounds the connectors, streams and connections that a document lists (R-ERR-9).
const maxEntries = 10_000

// cursor counts the entries of a document.
type cursor struct {
	rawjson.Cursor

	entries int
}

// more is More for a list of connectors, streams or connections. After maxEntries of them, it ends the whole document.
func (c *cursor) more() bool {
	if !c.More() {
		return false
	}
	if c.entries++; c.entries > maxEntries {
		c.End()
		return false
	}
	return true
}

// Read reads a document. Older servers wrap it in one more data object, or list streams without connectors; streams
// beside connectors say nothing more. A body that is no such document is an *rs.Failure.
func Read(response *rs.Response) (*Document, error) {
	c := &cursor{Cursor: response.Cursor()}
	document := readEnvelope(c, true)
	if c.entries > maxEntries {
		return nil, response.Unusable(fmt.Sprintf("the resource server's schema lists more than %d connectors, streams and connections", maxEntries),
			"ask for one stream or one connection_id")
	}
	if document == nil {
		return nil, response.Unusable("the resource server's answer is not a schema: the answer has neither connectors nor streams",
			"call schema again, and ask the server's operator if it stays so")
	}
	return document, nil
}

// readEnvelope reads an object that lists connectors or streams, or that wraps such an object in data. It is nil when
// there is neither.
func readEnvelope(c *cursor, wraps bool) *Document {
	d, listed := &Document{}, false
	var inner *Document
	var rows []*Stream
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		switch name := c.Name(); {
		case string(name) == "connectors" && c.Kind() == rawjson.ArrayValue:
			d.Connectors, listed = readConnectors(c), true
		case string(name) == "streams" && c.Kind() == rawjson.ArrayValue:
			rows, listed = readStreams(c), true
		case string(name) == "data" && c.Kind() == rawjson.ObjectValue && wraps:
			inner = readEnvelope(c, false)
		default:
			d.Members = append(d.Members, rawjson.Raw(string(name), c.Value()))
		}
	}
	switch {
	case !listed && inner != nil:
		inner.take(d.Members)
		return inner
	case !listed:
		return nil
	case d.Connectors == nil:
		d.Connectors = groupStreams(rows)
	}
	return d
}

// take adds what a wrapper says of the document in it: of the token, and warnings.
func (d *Document) take(wrapper rawjson.Object) {
	for _, name := range []string{"bearer", "meta"} {
		if sent := wrapper.Get(name); sent != nil && d.Members.Get(name) == nil {
			d.Members = append(d.Members, rawjson.Raw(name, sent))
		}
	}
}

// GrantID is the grant that the document was read with; empty when the server does not say.
func (d *Document) GrantID() string {
	bearer, _ := rawjson.ParseObject(d.Members.Get("bearer"))
	return bearer.Text("grant_id")
}

// HasSeveralGrants reports whether the document merges the documents of several grants.
func (d *Document) HasSeveralGrants() bool {
	bearer, _ := rawjson.ParseObject(d.Members.Get("bearer"))
	return bearer.Text("token_kind") == rs.KindPackage
}

func readConnectors(c *cursor) []*Connector {
	connectors := []*Connector{}
	for inside := c.Enter(rawjson.ArrayValue); inside && c.more(); {
		if c.Kind() == rawjson.ObjectValue {
			connectors = append(connectors, readConnector(c))
		} else {
			c.Value()
		}
	}
	return connectors
}

func readConnector(c *cursor) *Connector {
	connector := &Connector{}
	start := c.At()
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		switch name := c.Name(); string(name) {
		case "streams":
			connector.Streams = readStreams(c)
		case "granted_connections":
			connector.Connections = readConnections(c)
		default:
			connector.Members = append(connector.Members, rawjson.Raw(string(name), c.Value()))
		}
	}
	connector.Row = c.Since(start)
	connector.Key = keyOf(connector.Members)
	connector.Connections = orOwn(connector.Connections, connector.Members)
	connector.mergeStreams()
	connector.hoistConnections()
	return connector
}

// keyOf is the short name of a connector; older servers name it by its source alone.
func keyOf(members rawjson.Object) string {
	if key := ConnectorKey(members); key != "" {
		return key
	}
	source, _ := rawjson.ParseObject(members.Get("source"))
	return ConnectorKey(rawjson.Object{rawjson.String("connector_id", source.Text("id"))})
}

func readStreams(c *cursor) []*Stream {
	var streams []*Stream
	for inside := c.Enter(rawjson.ArrayValue); inside && c.more(); {
		if stream := readStream(c); stream.Name != "" {
			streams = append(streams, stream)
		}
	}
	return streams
}

// readStream reads the name and the connections of a row. A bare string is a row that has only a name.
func readStream(c *cursor) *Stream {
	stream := &Stream{}
	if c.Kind() == rawjson.StringValue {
		stream.Row = c.Value()
		stream.Name = rawjson.TextOf(stream.Row)
		return stream
	}
	var own rawjson.Object
	otherName := ""
	start := c.At()
	for inside := c.Enter(rawjson.ObjectValue); inside && c.More(); {
		switch name := c.Name(); string(name) {
		case "name":
			stream.Name = rawjson.TextOf(c.Value())
		case "stream":
			otherName = rawjson.TextOf(c.Value())
		case "granted_connections":
			stream.Connections = readConnections(c)
		case "connection_id", "display_name":
			own = append(own, rawjson.Raw(string(name), c.Value()))
		case "connector_key", "connector_id":
			stream.connector = append(stream.connector, rawjson.Raw(string(name), c.Value()))
		default:
			c.Value()
		}
	}
	stream.Row = c.Since(start)
	if stream.Name == "" {
		stream.Name = otherName
	}
	stream.Connections = orOwn(stream.Connections, own)
	return stream
}

// groupStreams makes connectors of rows that stand without them.
func groupStreams(rows []*Stream) []*Connector {
	connectors := []*Connector{}
	byKey := map[string]*Connector{}
	for _, row := range rows {
		key := ConnectorKey(row.connector)
		c := byKey[key]
		if c == nil {
			c = &Connector{Key: key}
			if key != "" {
				c.Members = rawjson.Object{rawjson.String("connector_key", key)}
			}
			byKey[key] = c
			connectors = append(connectors, c)
		}
		c.Streams = append(c.Streams, row)
	}
	for _, c := range connectors {
		c.mergeStreams()
		c.hoistConnections()
	}
	return connectors
}

// Object takes the row apart. It reads every byte of the row.
func (s *Stream) Object() rawjson.Object {
	if object, ok := rawjson.ParseObject(s.Row); ok {
		return object
	}
	return rawjson.Object{rawjson.String("name", s.Name)}
}

// Rows are the streams, each with its connector, in the order of the document.
func (d *Document) Rows() iter.Seq2[*Connector, *Stream] {
	return func(yield func(*Connector, *Stream) bool) {
		for _, connector := range d.Connectors {
			for _, stream := range connector.Streams {
				if !yield(connector, stream) {
					return
				}
			}
		}
	}
}

// StreamNames returns the names of the connector's streams.
func (c *Connector) StreamNames() []string {
	names := make([]string, len(c.Streams))
	for i, stream := range c.Streams {
		names[i] = stream.Name
	}
	return names
}

// StreamCount is how many streams there are, those of different connectors counted apart.
func (d *Document) StreamCount() int {
	count := 0
	for _, c := range d.Connectors {
		count += len(c.Streams)
	}
	return count
}
