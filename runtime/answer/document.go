package answer

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
)

// Document is one record.
type Document struct {
	Origin
	Target    recordid.Target
	Record    rawjson.Object // its members as the resource server sent them
	Fields    []string       // the requested fields; nil: all
	Expanded  bool           // relations were requested
	Warnings  []rawjson.Value
	EventTime string // when it happened, of a field that only the schema names; empty: unknown or not needed
}
