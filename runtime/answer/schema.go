package answer

import (
	"slices"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
)

// Schema is the schema of a grant: the index of all its streams, or with Stream the rows of one stream.
type Schema struct {
	Origin
	GrantIDs     []string // the grants that answered, for a reader that can have several; otherwise nil
	Document     *schemadoc.Document
	Stream       *string      // of the call; nil: the index
	ConnectionID *string      // of the call
	IsFull       bool         // the stream has the full view
	Rows         []*StreamRow // of the stream, in the order of the document
	Limits       []Limit      // of the records that the grants cover, as far as they are known (R-CLAIM-2)
	Overlaps     Overlaps     // empty: each connection is of one grant
	Expires      time.Time    // when the first of the grants ends; zero: never, or unknown
	SortsAny     bool         // records can be read in the order of any field
	Holdings     Holdings     // of the index; nil: unknown
	Now          string       // of the index: the time in the time zone of the caller; may be empty
	TimeZone     string
}

// Overlaps maps each connection that several grants cover to the limits of each.
type Overlaps map[GrantedConnection][]Limit

// GrantedConnection is a connection of a grant.
type GrantedConnection struct{ GrantID, ConnectionID string }

// LongestName is the maximum size in bytes of a connection_id or a field name that is shown. Longer ones are only
// counted.
const LongestName = 200

// StreamRow is a stream of one connector.
type StreamRow struct {
	Connector    *schemadoc.Connector
	Stream       *schemadoc.Stream
	Fields       []schemadoc.Field
	Unshown      int     // fields whose names are longer than LongestName
	ConnectionID string  // with Stream, it selects the row in another call; may be empty
	GrantID      string  // of the connection, if there are several grants
	Sample       *Sample // of recent records; nil: not read
}

// HasNamesOnly reports whether only the names of the fields are advertised.
func (r *StreamRow) HasNamesOnly() bool {
	return !slices.ContainsFunc(r.Fields, func(f schemadoc.Field) bool { return f.Flags != schemadoc.Declared })
}

// Connections returns the connections that have the stream, or none if the server names none.
func (r *StreamRow) Connections() []schemadoc.Connection { return r.Connector.ConnectionsOf(r.Stream) }

// Sample describes the fields of a stream by its most recent records (R-SCH-11).
type Sample struct {
	Records int
	Fields  map[string]*SampledField
}

// SampledField has the distinct kinds of a field's values, and the first value. A field that only had nulls has no
// kinds.
type SampledField struct {
	Kinds   []string
	Example rawjson.Value
}

// Holdings maps each granted source to its holding (R-SCH-9).
type Holdings map[HoldingSource]Holding

// HoldingSource is a stream of a connection and of a grant. The connection may be empty. The grant is empty if it does
// not matter.
type HoldingSource struct{ GrantID, ConnectionID, Stream string }

// Holding is the number of records of a source, and the time when the last one was added. Either is empty if the server
// does not say.
type Holding struct{ Records, Added string }

// Of returns the holding of a connection in a stream. A row without a connection is about the only connection of the
// stream.
func (h Holdings) Of(c *schemadoc.Connector, s *schemadoc.Stream, connection schemadoc.Connection) Holding {
	for _, grantID := range []string{connection.GrantID, ""} {
		if held, ok := h[HoldingSource{grantID, connection.ID, s.Name}]; ok {
			return held
		}
	}
	if len(c.ConnectionsOf(s)) > 1 {
		return Holding{}
	}
	return h[HoldingSource{Stream: s.Name}]
}
