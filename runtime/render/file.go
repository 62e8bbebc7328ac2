package render

import (
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// fileNames are members of a field that describe the file whose text is shown. Both channels have them.
var fileNames = []string{"media_type", "size_bytes", "charset", "charset_detected", "charset_errors", "width", "height"}

// fileTokens describe the file of a window. A text field has none.
func fileTokens(field rawjson.Object) []string {
	var tokens []string
	for _, name := range fileNames {
		if value := field.Get(name); value != nil && len(value) <= tool.LabelCharacters {
			tokens = append(tokens, RawToken(name, value))
		}
	}
	return tokens
}

// FileInput is what the renderer of a file needs to know.
type FileInput struct {
	Target    recordid.Target
	FieldPath string
	Reference blob.Reference
	About     rawjson.Object // what its bytes say, under fileNames
	Note      string         // what is shown of it, and what is not
}

// File renders a file whose text is not shown: what it is, and how to get it (R-BLOB-3).
func File(response *rs.Response, input FileInput) (*tool.Result, error) {
	id := targetIdentity(input.Target)
	field := rawjson.Object{rawjson.String("path", input.FieldPath)}
	field = append(field, input.About...)
	ways := rawjson.Object{rawjson.String("note", input.Note)}
	if input.Reference.Size <= blob.MostResource {
		ways = append(ways, rawjson.String("resource", recordid.FormatURI(recordid.URI{
			Kind:   recordid.KindBlob,
			Record: recordid.Handle{ConnectionID: deref(input.Target.ConnectionID), Stream: input.Target.Stream, RecordID: input.Target.RecordID},
			Window: recordid.FieldWindow{FieldPath: input.FieldPath},
		})))
	}
	ways = append(ways, rawjson.String("save", input.Reference.Command()))
	lines := []string{words(append([]string{id.tokens(), Token("field_path", input.FieldPath)}, fileTokens(field)...)...)}
	for _, way := range ways {
		lines = append(lines, way.Name+": "+rawjson.TextOf(way.Value))
	}
	structured := append(rawjson.Object{id.structuredRecord(), rawjson.Raw("field", field.Encode())}, ways...)
	result := &tool.Result{Text: strings.Join(lines, "\n"), Structured: withRequestID(response, finish(response, structured, nil))}
	return withinBounds(response, result, ChannelCharacters)
}

// FieldOf returns the value of a field in an answer that holds its record, or nil; blob.Inside defines the meaning of the path. The target
// gets the record's connection if it names none.
func FieldOf(response *rs.Response, target recordid.Target, path string) (rawjson.Value, recordid.Target, error) {
	record, err := recordOf(response, target.ConnectionID, target.Stream)
	if err != nil {
		return nil, target, err
	}
	if target.ConnectionID == nil && record.connectionID != "" {
		target.ConnectionID = &record.connectionID
	}
	return blob.Inside(record.fields, path), target, nil
}
