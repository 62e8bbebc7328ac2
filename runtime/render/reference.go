package render

import (
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// reference is a field of a record that refers to a blob, or a part of one.
type reference struct {
	name string // the path
	blob.Reference
}

// referencesShown bounds the references of one record. Any other one stays as it was sent.
const referencesShown = 8

// usualWindow is how many characters a window has without limit_chars.
const usualWindow = 4_096

// referring gives a record's fields with a name and a size in the place of each reference, in both channels, and the references
// (R-BLOB-1). Without any they are the same fields.
func referring(fields rawjson.Object) (rawjson.Object, []reference) {
	if !slices.ContainsFunc(fields, func(field rawjson.Member) bool { return blob.MayRefer(field.Value) }) {
		return fields, nil
	}
	return named(fields)
}

// named is referring for fields that may refer.
func named(fields rawjson.Object) (rawjson.Object, []reference) {
	var found []reference
	name := func(path string, named blob.Reference) rawjson.Value {
		if len(found) == referencesShown {
			return nil
		}
		found = append(found, reference{path, named})
		return rawjson.Quote(named.String())
	}
	fields = slices.Clone(fields)
	for i, field := range fields {
		fields[i].Value = blob.Replace(field.Name, field.Value, name)
	}
	return fields, found
}

// readReferences are the calls that read the blobs, those of text in the largest windows. A blob of which the tool shows
// nothing has none.
func (id identity) readReferences(references []reference) []Call {
	var calls []Call
	for _, reference := range references {
		if !isReadable(reference.Reference) || !id.canRead(reference.name) {
			continue
		}
		var more []rawjson.Member
		if blob.KindOf(reference.MediaType).IsText() && reference.Size > usualWindow {
			more = append(more, rawjson.Int(tool.FieldLimitChars, windowMost))
		}
		calls = append(calls, id.readField(reference.name, more...))
	}
	return calls
}

// isReadable reports whether the tool shows a file of the declared type and size (R-BLOB-2, R-BLOB-3).
func isReadable(reference blob.Reference) bool {
	switch blob.KindOf(reference.MediaType) {
	case blob.Other:
		return false
	case blob.Image:
		return reference.Size <= blob.MostImage
	}
	return reference.Size <= blob.MostText
}

// structuredReferences are the blobs of a row or a document, each with the name of its field. Structured output alone has them:
// a reader of text needs no digest.
func structuredReferences(references []reference) rawjson.Member {
	elements := make([]rawjson.Value, len(references))
	for i, reference := range references {
		elements[i] = append(rawjson.Object{rawjson.String("field", reference.name)}, reference.Members()...).Encode()
	}
	return rawjson.Raw("blobs", rawjson.Array(elements))
}
