package render

import (
	"slices"
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
	Document  rawjson.Object // its format and parts, or why it cannot be read; nil for other files
	Note      string         // what is shown of it, and what is not
}

// structuredDocument returns the description of a document as a member.
func (f FileInput) structuredDocument() rawjson.Object {
	if f.Document == nil {
		return nil
	}
	return rawjson.Object{rawjson.Raw("document", f.Document.Encode())}
}

// documentTokens describe the document in text.
func (f FileInput) documentTokens() []string {
	var tokens []string
	for _, member := range f.Document {
		tokens = append(tokens, RawToken(member.Name, member.Value))
	}
	return tokens
}

// ways returns the note and how to get the file, or nothing if there is no note.
func (f FileInput) ways() rawjson.Object {
	if f.Note == "" {
		return nil
	}
	save := rawjson.String("save", f.Reference.Command())
	if f.Reference.Size > blob.MaxResource {
		return rawjson.Object{rawjson.String("note", f.Note+" save is a command for a terminal."), save}
	}
	resource := recordid.FormatURI(recordid.URI{
		Kind:   recordid.KindBlob,
		Record: recordid.Handle{ConnectionID: deref(f.Target.ConnectionID), Stream: f.Target.Stream, RecordID: f.Target.RecordID},
		Window: recordid.FieldWindow{FieldPath: f.FieldPath},
	})
	note := f.Note + " A host may open resource for its user; save is a command for a terminal."
	return rawjson.Object{rawjson.String("note", note), rawjson.String("resource", resource), save}
}

// wayLines returns ways as lines of text.
func wayLines(ways rawjson.Object) []string {
	var lines []string
	for _, way := range ways {
		lines = append(lines, way.Name+": "+rawjson.TextOf(way.Value))
	}
	return lines
}

// File renders a file whose text is not shown: what it is, and how to get it (R-BLOB-3).
func File(response *rs.Response, input FileInput) (*tool.Result, error) {
	id := targetIdentity(input.Target)
	field := rawjson.Object{rawjson.String("path", input.FieldPath)}
	field = append(field, input.About...)
	tokens := slices.Concat([]string{id.tokens(), Token("field_path", input.FieldPath)}, fileTokens(field), input.documentTokens())
	lines := append([]string{words(tokens...)}, wayLines(input.ways())...)
	structured := slices.Concat(rawjson.Object{id.structuredRecord(), rawjson.Raw("field", field.Encode())}, input.structuredDocument(), input.ways())
	result := &tool.Result{Text: strings.Join(lines, "\n"), Structured: withRequestID(response, finish(response, structured, nil))}
	return withinBounds(response, result, ChannelCharacters)
}

// Fields returns the fields of the record of a response. The target gets the record's connection if it names none.
func Fields(response *rs.Response, target recordid.Target) (rawjson.Object, recordid.Target, error) {
	record, err := recordOf(response, target.ConnectionID, target.Stream)
	if err != nil {
		return nil, target, err
	}
	if target.ConnectionID == nil && record.connectionID != "" {
		target.ConnectionID = &record.connectionID
	}
	return record.fields, target, nil
}
