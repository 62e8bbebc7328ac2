package render

import (
	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// fileNames are members of a field that describe the file whose text is shown. Both channels have them.
var fileNames = []string{"media_type", "size_bytes", "charset", "charset_detected", "charset_errors", "width", "height"}

// FileInput is what the renderer of a file needs to know.
type FileInput struct {
	Target    recordid.Target
	FieldPath string
	Reference blob.Reference
	About     rawjson.Object // what its bytes say, under fileNames
	Document  rawjson.Object // its format and parts, or why it cannot be read; nil for other files
	Note      string         // what is shown of it, and what is not
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

// File renders a file whose text is not shown: what it is, and how to get it (R-BLOB-3).
func File(response *rs.Response, input FileInput) (*tool.Result, error) {
	field := append(rawjson.Object{rawjson.String("path", input.FieldPath)}, input.About...)
	w := &window{
		identity: targetIdentity(input.Target), input: FieldWindowInput{FieldPath: input.FieldPath, File: input},
		body: rawjson.Object{rawjson.Raw("field", field.Encode())},
	}
	return withinBounds(response, &tool.Result{Text: w.head(), Structured: w.structured(response)}, ChannelCharacters)
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
