package render

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/blob/filetext"
	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// convertedName is the member that names the fields whose HTML is shown as text (R-DOC-7).
const convertedName = "converted"

// convertHTML returns a record's fields with HTML as readable text, and the names of the converted fields.
func convertHTML(fields rawjson.Object) (rawjson.Object, []string) {
	var names []string
	for i, field := range fields {
		if len(field.Value) < 5 || field.Value[0] != '"' || !strings.ContainsRune("<\\ ", rune(field.Value[1])) {
			continue // it does not begin with a tag, an escape or white space
		}
		if !bytes.Contains(field.Value, []byte("<")) && !bytes.Contains(field.Value, []byte(`\u003`)) {
			continue
		}
		if text, _ := rawjson.Text(field.Value); filetext.IsHTML(text) {
			if names == nil {
				fields = slices.Clone(fields)
			}
			fields[i].Value = rawjson.Quote(readable(text))
			names = append(names, field.Name)
		}
	}
	return fields, names
}

func readable(html string) string {
	return strings.TrimSuffix(string(filetext.Readable([]byte(html))), "\n")
}

// blockTags match tags in an excerpt of HTML. Prose about HTML rarely has two of them in so few words.
var blockTags = regexp.MustCompile(`(?i)</?(?:p|div|br|html|body|table|tr|td|th|ul|ol|li|span|font|a|h[1-6]|blockquote)(?:\s[^<>]*)?/?>`)

// Private characters in place of highlight tags while HTML is converted.
const openPrivate, closePrivate = "\ue000", "\ue001"

// convertExcerpt returns a highlighted excerpt of HTML as readable text. It is false for any other excerpt.
func convertExcerpt(excerpt string) (string, bool) {
	if len(blockTags.FindAllStringIndex(excerpt, 2)) < 2 {
		return excerpt, false
	}
	if end := strings.IndexByte(excerpt, '>'); end >= 0 && end < strings.IndexByte(excerpt, '<') {
		excerpt = excerpt[end+1:] // the rest of a tag
	}
	hidden := strings.NewReplacer(openMark, openPrivate, closeMark, closePrivate).Replace(excerpt)
	return strings.NewReplacer(openPrivate, openMark, closePrivate, closeMark).Replace(readable(hidden)), true
}
