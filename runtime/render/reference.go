package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// reference is a field of a record, or a part of one, that refers to a file.
type reference struct {
	name string // the path
	blob.Reference
}

// referencesShown is the maximum number of references of one record that are named. Others stay as they were sent.
const referencesShown = 8

const usualWindow = 4_096

// nameFiles returns a record's fields with a name and a size in place of each reference to a file, and the references (R-BLOB-1).
func nameFiles(fields rawjson.Object) (rawjson.Object, []reference) {
	var found []reference
	name := func(path string, named blob.Reference) rawjson.Value {
		if len(found) == referencesShown {
			return nil
		}
		found = append(found, reference{path, named})
		return rawjson.Quote(named.String())
	}
	named := slices.Clone(fields)
	for i, field := range fields {
		if blob.MayRefer(field.Value) {
			named[i].Value = blob.Replace(field.Name, field.Value, name)
		}
	}
	return named, found
}

// readReferences returns the calls that read the files, texts in the largest windows. A file that the tool cannot show has no call.
func (id identity) readReferences(references []reference) []Call {
	var calls []Call
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

// isLong reports whether the text may be longer than a window. The size of a document does not say it.
func isLong(reference blob.Reference) bool {
	kind := blob.KindOf(reference.MediaType)
	return kind.IsText() && reference.Size > usualWindow || kind == blob.Document
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
