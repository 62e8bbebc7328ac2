package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// fileNames are members of a field that describe the file whose text is shown. Both channels have them.
var fileNames = []string{"media_type", "size_bytes", "charset", "charset_detected", "charset_errors", "width", "height"}

// access returns the note about a file and how to get it. It returns nil if the result shows the text of the file.
func access(file *answer.File) rawjson.Object {
	if file == nil || file.Note == "" {
		return nil
	}
	save := rawjson.String("save", file.Save)
	if file.Resource == "" {
		return rawjson.Object{rawjson.String("note", file.Note+" save is a command for a terminal."), save}
	}
	note := file.Note + " A host may open resource for its user; save is a command for a terminal."
	return rawjson.Object{rawjson.String("note", note), rawjson.String("resource", file.Resource), save}
}

// reference is a field of a record, or a part of one, that refers to a file.
type reference struct {
	name string // the path
	blob.Reference
}

// referencesShown is the maximum number of references of one record that are named. Others stay as they were sent.
const referencesShown = 8

const defaultWindow = 4_096

// nameFiles returns a record's fields and its references to files (R-BLOB-1). In the fields, the name and size of the
// file replace each reference.
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

// readReferences returns the calls that read the files. Long texts are read in the largest windows. A file that the
// tool cannot show has no call.
func (id identity) readReferences(references []reference) []answer.Call {
	var calls []answer.Call
	for _, reference := range references {
		if !isReadable(reference.Reference) || !id.canRead(reference.name) {
			continue
		}
		var more []rawjson.Member
		if isLong(reference.Reference) {
			more = append(more, rawjson.Int(tool.FieldLimitChars, answer.MaxWindow))
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

// isLong reports whether the text may be longer than a window. A document counts as long, because its size does not
// determine the length of its text.
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
		elements[i] = append(rawjson.Object{rawjson.String(wire.Field, reference.name)}, reference.Members()...).Encode()
	}
	return rawjson.Object{rawjson.Raw("blobs", rawjson.Array(elements))}
}
