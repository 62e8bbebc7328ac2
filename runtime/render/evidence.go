package render

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// evidence is a piece of a field in which the RS proved a match (R-SEARCH-3). Nothing is inferred
// from the names of connectors, streams or fields.
type evidence struct {
	fieldPath string
	preview   string
	complete  bool // the preview is the whole field
	read      Call // continues it
}

// evidenceNames are the members under which servers list match windows.
var evidenceNames = []string{"evidence_excerpts", "match_windows", "matches"}

// findEvidence keeps the windows that name their field and show its text.
func (h *hit) findEvidence(terms []string) []evidence {
	var found []evidence
	for _, name := range evidenceNames {
		windows, _ := rawjson.Elements(h.members.Get(name))
		for _, window := range windows {
			object, _ := rawjson.ParseObject(window)
			excerpt, ok := h.newEvidence(object, terms)
			if ok && len(found) < evidencePerHit {
				found = append(found, excerpt)
			}
		}
		if len(found) > 0 {
			return found // the other lists tell of the same matches
		}
	}
	return nil
}

func (h *hit) newEvidence(window rawjson.Object, terms []string) (evidence, bool) {
	read, _ := rawjson.ParseObject(window.Get("read"))
	path := cmp.Or(window.FirstText("field_path", "field", "path"), read.FirstText("field_path", "field"))
	text := window.FirstText("preview_text", "text", "snippet", "excerpt", "preview")
	if text == "" || Length(path) > groupCharacters || !h.canRead(path) {
		return evidence{}, false
	}
	preview, cut := clipSnippet(highlight(text, terms), snippetCharacters)
	e := evidence{fieldPath: path, preview: preview, complete: !cut && isComplete(window)}
	e.read = h.readField(path, selectors(window, read)...)
	return e, true
}

// isComplete believes only a server that says so.
func isComplete(window rawjson.Object) bool {
	return window.True("complete") || string(window.Get("truncated")) == "false"
}

// selectors are the RS's own place of the match: an offset, a cursor or a search, in this order and
// never two of them.
func selectors(window, read rawjson.Object) []rawjson.Member {
	for _, from := range []rawjson.Object{read, window} {
		if offset, ok := firstInt(from, "offset_chars", "start_chars"); ok {
			return []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, offset)}
		}
		if cursor := from.Text("cursor"); cursor != "" && len(cursor) <= urlCharacters {
			return []rawjson.Member{rawjson.String(tool.FieldCursor, cursor)}
		}
		if q := from.Text("q"); q != "" && len(q) <= groupCharacters {
			return []rawjson.Member{rawjson.String(tool.FieldQ, q)}
		}
	}
	return nil
}

func firstInt(object rawjson.Object, names ...string) (int64, bool) {
	for _, name := range names {
		if number, ok := object.Int(name); ok && number >= 0 {
			return number, true
		}
	}
	return 0, false
}

// shows tells whether one of the excerpts is this text.
func shows(all []evidence, text string) bool {
	return slices.ContainsFunc(all, func(each evidence) bool { return each.preview == text })
}

// previews are the excerpts as results list them.
func previews(all []evidence) json.RawMessage {
	encoded := make([]json.RawMessage, len(all))
	for i, each := range all {
		encoded[i] = rawjson.Object{rawjson.String("field_path", each.fieldPath), rawjson.String("preview", each.preview)}.Encode()
	}
	return rawjson.Array(encoded)
}

// continued are the excerpts with what continues them, as the ladder lists them.
func continued(all []evidence) json.RawMessage {
	encoded := make([]json.RawMessage, len(all))
	for i, each := range all {
		encoded[i] = rawjson.Object{
			rawjson.String("field_path", each.fieldPath), rawjson.String("preview", each.preview), rawjson.Bool("complete", each.complete),
			rawjson.Raw("next", each.read.Structured()),
		}.Encode()
	}
	return rawjson.Array(encoded)
}
