// Package schemadoc reads the answer to GET /v1/schema: the streams that a grant gives access to, the connections that
// they come from, and what can be asked of their fields. It reads every form that servers send: compact or full, of one
// grant or of a package. The kind of the token is in rs.SchemaBearer.
//
// A document shares memory with the response.
package schemadoc

import (
	"iter"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
)

// Document is a schema document (docs/provider-contract.md, Schema). Each stream is one row of a connector. A
// connection that has all streams of a connector is listed at the connector only (R-SCH-1).
type Document struct {
	Members    rawjson.Object // without the connectors and the streams
	Connectors []*Connector
}

// Connector is one connector and its granted streams.
type Connector struct {
	Row         rawjson.Value  // as the server sent it; nil if the server sent streams without connectors
	Members     rawjson.Object // without the streams and the connections
	Key         string         // short name, such as gmail; empty if unknown
	Streams     []*Stream
	Connections []Connection
}

// Stream is one row of a connector.
type Stream struct {
	Row         rawjson.Value // as the server sent it: an object, or a string that is the name
	Members     rawjson.Object
	Name        string       // not empty
	Connections []Connection // empty if all connections of the connector have the stream
}

// kindPackage is the kind of the bearer of a document that merges those of several grants.
const kindPackage = "mcp_package"

// maxEntries is the maximum number of connectors, streams and connections in a document (R-ERR-9).
const maxEntries = 10_000

type reader struct{ entries int }

// Unusable is the error of a body that is not a usable schema document.
type Unusable struct{ Message, NextStep string }

func (e *Unusable) Error() string { return e.Message + "; " + e.NextStep }

// Parse reads the body of an answer, without whitespace between its tokens. Older servers wrap the document, or list
// streams without connectors. Its error is an *Unusable.
func Parse(body rawjson.Value) (*Document, error) {
	r := &reader{}
	document := r.document(body, true)
	if r.entries > maxEntries {
		return nil, tooLong()
	}
	if document == nil {
		return nil, &Unusable{
			"the resource server's answer is not a schema: it has neither connectors nor streams",
			"call schema again; if it fails again, ask the server's operator",
		}
	}
	for _, c := range document.Connectors {
		c.mergeStreams()
		c.hoistConnections()
	}
	return document, nil
}

func (r *reader) elements(value rawjson.Value) []rawjson.Value {
	elements, ok := rawjson.Elements(value)
	if r.entries += len(elements); !ok && rawjson.Kind(value) == rawjson.ArrayValue { // Elements refuses an array that is too long
		r.entries = maxEntries + 1
	}
	return elements
}

// document returns nil if the value lists neither connectors nor streams, and its member data does not either. It reads
// data only if mayWrap is true.
func (r *reader) document(value rawjson.Value, mayWrap bool) *Document {
	members, _ := rawjson.ParseObject(value)
	isList := func(name string) bool { return rawjson.Kind(members.Get(name)) == rawjson.ArrayValue }
	d := &Document{Members: members.Without("connectors", wire.Streams)}
	switch {
	case isList("connectors"):
		d.Connectors = r.connectors(members.Get("connectors"))
	case isList(wire.Streams):
		d.Connectors = groupStreams(r.streams(members.Get(wire.Streams)))
	case mayWrap:
		inner := r.document(members.Get("data"), false)
		for _, name := range []string{"bearer", "meta"} {
			if sent := members.Get(name); inner != nil && sent != nil && inner.Members.Get(name) == nil {
				inner.Members = append(inner.Members, rawjson.Raw(name, sent))
			}
		}
		return inner
	default:
		return nil
	}
	return d
}

func (r *reader) connectors(value rawjson.Value) []*Connector {
	connectors := []*Connector{}
	for _, row := range r.elements(value) {
		members, isObject := rawjson.ParseObject(row)
		if !isObject {
			continue
		}
		c := &Connector{
			Row: row, Members: members.Without(wire.Streams, "granted_connections"),
			Streams: r.streams(members.Get(wire.Streams)), Connections: r.connections(members),
		}
		if c.Key = ConnectorKey(members); c.Key == "" { // older servers name a connector by its source
			source, _ := rawjson.ParseObject(members.Get("source"))
			c.Key = ConnectorKey(rawjson.Texts("connector_id", source.Text(wire.ID)))
		}
		connectors = append(connectors, c)
	}
	return connectors
}

func (r *reader) streams(value rawjson.Value) []*Stream {
	var streams []*Stream
	for _, row := range r.elements(value) {
		members, _ := rawjson.ParseObject(row)
		if name, isName := rawjson.Text(row); isName {
			members = rawjson.Object{rawjson.String("name", name)}
		}
		stream := &Stream{Row: row, Members: members, Name: members.FirstText("name", wire.Stream), Connections: r.connections(members)}
		if stream.Name != "" {
			streams = append(streams, stream)
		}
	}
	return streams
}

// groupStreams makes connectors for streams that a server sends without connectors.
func groupStreams(streams []*Stream) []*Connector {
	connectors := []*Connector{}
	byKey := map[string]*Connector{}
	for _, stream := range streams {
		key := ConnectorKey(stream.Members)
		c := byKey[key]
		if c == nil {
			c = &Connector{Key: key, Members: rawjson.Texts("connector_key", key)}
			byKey[key] = c
			connectors = append(connectors, c)
		}
		c.Streams = append(c.Streams, stream)
	}
	return connectors
}

// GrantID returns the grant with which the document was read, or "" if the server does not say.
func (d *Document) GrantID() string { return d.bearer().Text("grant_id") }

// Warnings returns the warnings of the document.
func (d *Document) Warnings() []rawjson.Value {
	meta, _ := rawjson.ParseObject(d.Members.Get("meta"))
	warnings, _ := rawjson.Elements(meta.Get("warnings"))
	return warnings
}

// HasSeveralGrants reports whether the document merges the documents of several grants.
func (d *Document) HasSeveralGrants() bool { return d.bearer().Text("token_kind") == kindPackage }

func (d *Document) bearer() rawjson.Object {
	bearer, _ := rawjson.ParseObject(d.Members.Get("bearer"))
	return bearer
}

// Rows yields the streams in the order of the document, each with its connector.
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

// StreamCount returns the number of streams. Streams of different connectors count separately.
func (d *Document) StreamCount() int {
	count := 0
	for _, c := range d.Connectors {
		count += len(c.Streams)
	}
	return count
}

// StreamNames returns the names of the connector's streams.
func (c *Connector) StreamNames() []string {
	names := make([]string, len(c.Streams))
	for i, stream := range c.Streams {
		names[i] = stream.Name
	}
	return names
}
