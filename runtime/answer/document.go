package answer

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/schemadoc"
)

// Document is one record.
type Document struct {
	Origin
	StreamLinks
	Target   recordid.Target
	Record   rawjson.Object // its members as the resource server sent them
	Fields   []string       // the requested fields; nil: all
	Expanded bool           // relations were requested
	Warnings []rawjson.Value
}

// StreamLinks is what the schema says about where the records of a stream belong. It is empty if it is unknown or not
// needed.
type StreamLinks struct {
	TimeField string           // says when a record happened
	Links     []schemadoc.Link // with other records
}
