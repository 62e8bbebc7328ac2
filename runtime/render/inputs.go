package render

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
)

// RecordsInput is what the renderer of records needs to know of the call.
type RecordsInput struct {
	Call         Given
	Stream       string
	ConnectionID *string
	Fields       []string // nil when all fields were asked for
}

// AggregateInput is what the renderer of aggregates needs to know of the call.
type AggregateInput struct {
	Call         Given
	Stream       string
	ConnectionID *string
}

// SearchInput is what the renderer of search results needs to know of the call.
type SearchInput struct {
	Call         Given
	ConnectionID *string
}

// DocumentInput is what the renderer of a fetched record needs to know of the call.
type DocumentInput struct {
	Target recordid.Target
	Fields []string // nil when all fields were asked for
}

// FieldWindowInput is what the renderer of a field window needs to know of the call.
type FieldWindowInput struct {
	Call      Given
	Target    recordid.Target
	FieldPath string

	File FileInput // the file whose text is shown; zero for a text field

	// Another gives the members of another window of a text that is at hand. Nil: the resource server has the text.
	Another func(offset, limit int64) rawjson.Object
}

func deref(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
