package render

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// excerpt is a part of a field in which the RS proved a match (R-SEARCH-3). Nothing is inferred from names.
type excerpt struct {
	fieldPath string
	preview   string
	converted bool // the preview is the text of HTML
	isWhole   bool // the preview is the whole field
	read      Call // continues the preview
}

// findExcerpts returns the match windows that name their field, from the first list that has any: the other lists hold the same matches.
func (h *hit) findExcerpts(q question) []excerpt {
	for _, name := range []string{"evidence_excerpts", "match_windows", "matches"} {
		var found []excerpt
		windows, _ := rawjson.Elements(h.members.Get(name))
		for _, window := range windows {
			object, _ := rawjson.ParseObject(window)
			if each, ok := h.newExcerpt(object, q); ok && len(found) < excerptsPerHit {
				found = append(found, each)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func (h *hit) newExcerpt(window rawjson.Object, q question) (excerpt, bool) {
	read, _ := rawjson.ParseObject(window.Get("read"))
	path := cmp.Or(window.FirstText("field_path", "field", "path"), read.FirstText("field_path", "field"))
	text := window.FirstText("preview_text", "text", "snippet", "excerpt", "preview")
	if text == "" || Length(path) > groupCharacters || !h.canRead(path) {
		return excerpt{}, false
	}
	text, isConverted := convertExcerpt(highlight(text, q.terms))
	preview, isCut := clipSnippet(text, snippetCharacters)
	isComplete := window.True("complete") || string(window.Get("truncated")) == "false"
	words := cmp.Or(firstMarked(preview), tool.Clip(q.words, groupCharacters))
	return excerpt{
		fieldPath: path, preview: preview, converted: isConverted, isWhole: isComplete && !isCut, read: h.readField(path, selectors(window, read, words)...),
	}, true
}

// selectors return the place of the match: the RS's own offset, cursor or search, otherwise a search for the words.
func selectors(window, read rawjson.Object, words string) []rawjson.Member {
	for _, from := range []rawjson.Object{read, window} {
		for _, name := range []string{"offset_chars", "start_chars"} {
			if offset, ok := from.Int(name); ok && offset >= 0 {
				return []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, offset)}
			}
		}
		if cursor := from.Text("cursor"); cursor != "" && len(cursor) <= urlCharacters {
			return []rawjson.Member{rawjson.String(tool.FieldCursor, cursor)}
		}
		if q := from.Text("q"); q != "" && len(q) <= groupCharacters {
			return []rawjson.Member{rawjson.String(tool.FieldQ, q)}
		}
	}
	if strings.TrimSpace(words) == "" {
		return nil
	}
	return []rawjson.Member{rawjson.String(tool.FieldQ, words)}
}

func firstMarked(snippet string) string {
	_, after, _ := strings.Cut(snippet, openMark)
	words, _, _ := strings.Cut(after, closeMark)
	return words
}

// structuredEvidence returns the excerpts as results list them. One without a call is the whole field.
func structuredEvidence(excerpts []excerpt) json.RawMessage {
	encoded := make([]json.RawMessage, len(excerpts))
	for i, each := range excerpts {
		object := rawjson.Object{rawjson.String("field_path", each.fieldPath), rawjson.String("preview", each.preview)}
		if each.converted {
			object = append(object, rawjson.Bool(convertedName, true))
		}
		if !each.isWhole {
			object = append(object, rawjson.Raw("next", each.read.structured()))
		}
		encoded[i] = object.Encode()
	}
	return rawjson.Array(encoded)
}

// textEvidence returns the excerpts by their fields. The whole field is shown without marks, which would not help to find the match.
func textEvidence(excerpts []excerpt) json.RawMessage {
	var byField rawjson.Object
	for _, each := range excerpts {
		text := rawjson.Quote(each.preview)
		switch {
		case each.converted:
			text = rawjson.Object{rawjson.String(convertedName, each.preview)}.Encode()
		case each.isWhole:
			text = rawjson.Quote(unmarked(each.preview))
		}
		earlier := byField.Get(each.fieldPath)
		switch list, isList := rawjson.Elements(earlier); {
		case isList:
			text = rawjson.Array(append(list, text))
		case earlier != nil:
			text = rawjson.Array([]rawjson.Value{earlier, text})
		}
		byField = byField.With(each.fieldPath, text)
	}
	return byField.Encode()
}
