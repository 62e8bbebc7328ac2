package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/recordid"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// fileNames are members of a field that describe the file whose text is shown. Both channels have them.
var fileNames = []string{"media_type", "size_bytes", "charset", "charset_detected", "charset_errors", "width", "height"}

// FileInput has what the renderer of a file needs.
type FileInput struct {
	Target    recordid.Target
	FieldPath string
	Reference blob.Reference
	About     rawjson.Object // what its bytes show, under fileNames
	Document  rawjson.Object // its format and parts, or why it cannot be read; nil for other files
	Note      string         // what is shown of it, and what is not
}

// access returns the note and how to get the file. It returns nil if there is no note.
func (f FileInput) access() rawjson.Object {
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

// reference is a field of a record, or a part of one, that refers to a file.
type reference struct {
	name string // the path
	blob.Reference
}

// referencesShown is the maximum number of references of one record that are named. Others stay as they were sent.
const referencesShown = 8

const defaultWindow = 4_096

// nameFiles returns a record's fields and its references to files (R-BLOB-1). In the fields, the name and size of the file replace each
// reference.
func nameFiles(fields rawjson.Object) (rawjson.Object, []reference) {
	var found []reference
	name := func(path string, named blob.Reference) rawjson.Value {
		if len(found) == referencesShown {
			return nil
		}
		found = append(found, reference{path, named})
		return rawjson.Quote(named.String())
	}
	if !slices.ContainsFunc(fields, func(field rawjson.Member) bool { return blob.MayRefer(field.Value) }) {
		return fields, nil
	}
	named := slices.Clone(fields)
	for i, field := range fields {
		if blob.MayRefer(field.Value) {
			named[i].Value = blob.Replace(field.Name, field.Value, name)
		}
	}
	return named, found
}

// readReferences returns the calls that read the files. Long texts are read in the largest windows. A file that the tool cannot show has
// no call.
func (id identity) readReferences(references []reference) []answer.Call {
	var calls []answer.Call
	for _, reference := range references {
		if !isReadable(reference.Reference) || !id.canRead(reference.name) {
			continue
		}
		var more []rawjson.Member
		if isLong(reference.Reference) {
			more = append(more, rawjson.Int(tool.FieldLimitChars, maxWindow))
		}
		calls = append(calls, id.readField(reference.name, more...))
	}
	return calls
}

// isReadable reports whether the tool shows a file of the declared type and size (R-BLOB-2, R-BLOB-3).
func isReadable(reference blob.Reference) bool {
	switch blob.KindOf(reference.MediaType) {
	case blob.Other, blob.Recording:
		return false
	case blob.Image:
		return reference.Size <= blob.MaxImage
	}
	return reference.Size <= blob.MaxText
}

// isLong reports whether the text may be longer than a window. A document counts as long, because its size does not determine the length
// of its text.
func isLong(reference blob.Reference) bool {
	kind := blob.KindOf(reference.MediaType)
	return kind.IsText() && reference.Size > defaultWindow || kind == blob.Document
}

// structuredReferences returns the files of a row as a member, each with the name of its field.
func structuredReferences(references []reference) rawjson.Object {
	if references == nil {
		return nil
	}
	elements := make([]rawjson.Value, len(references))
	for i, reference := range references {
		elements[i] = append(rawjson.Object{rawjson.String("field", reference.name)}, reference.Members()...).Encode()
	}
	return rawjson.Object{rawjson.Raw("blobs", rawjson.Array(elements))}
}
