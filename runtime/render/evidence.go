package render

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// evidence is a piece of a field in which the RS proved a match (R-SEARCH-3). Nothing is inferred
// from the names of connectors, streams or fields.
type evidence struct {
	fieldPath string
	preview   string
	complete  bool   // the preview is the whole field
	read      Call   // continues it
	shownIn   string // the id of the hit next to this one whose evidence holds the same text; empty: shown here
}

// evidenceNames are the members under which servers list match windows.
var evidenceNames = []string{"evidence_excerpts", "match_windows", "matches"}

// findEvidence keeps the windows that name their field and show its text.
func (h *hit) findEvidence(q question) []evidence {
	var found []evidence
	for _, name := range evidenceNames {
		windows, _ := rawjson.Elements(h.members.Get(name))
		for _, window := range windows {
			object, _ := rawjson.ParseObject(window)
			excerpt, ok := h.newEvidence(object, q)
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

func (h *hit) newEvidence(window rawjson.Object, q question) (evidence, bool) {
	read, _ := rawjson.ParseObject(window.Get("read"))
	path := cmp.Or(window.FirstText("field_path", "field", "path"), read.FirstText("field_path", "field"))
	text := window.FirstText("preview_text", "text", "snippet", "excerpt", "preview")
	if text == "" || Length(path) > groupCharacters || !h.canRead(path) {
		return evidence{}, false
	}
	preview, cut := clipSnippet(highlight(text, q.terms), snippetCharacters)
	e := evidence{fieldPath: path, preview: preview, complete: !cut && isComplete(window)}
	e.read = h.readField(path, selectors(window, read, cmp.Or(marked(e.preview), tool.Clip(q.words, groupCharacters)))...)
	return e, true
}

// isComplete believes only a server that says so.
func isComplete(window rawjson.Object) bool {
	return window.True("complete") || string(window.Get("truncated")) == "false"
}

// selectors are the place of the match: the RS's own, an offset, a cursor or a search, in this order and never two of them;
// else a search for the words given.
func selectors(window, read rawjson.Object, words string) []rawjson.Member {
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
	if strings.TrimSpace(words) == "" {
		return nil
	}
	return []rawjson.Member{rawjson.String(tool.FieldQ, words)}
}

// marked are the first highlighted words of a snippet; empty without any.
func marked(snippet string) string {
	_, after, _ := strings.Cut(snippet, openMark)
	words, _, _ := strings.Cut(after, closeMark)
	return words
}

func firstInt(object rawjson.Object, names ...string) (int64, bool) {
	for _, name := range names {
		if number, ok := object.Int(name); ok && number >= 0 {
			return number, true
		}
	}
	return 0, false
}

// structuredEvidence are the excerpts as results list them. One with no call that continues it is the whole field.
func (h *hit) structuredEvidence() json.RawMessage {
	encoded := make([]json.RawMessage, len(h.evidence))
	for i, each := range h.evidence {
		object := rawjson.Object{rawjson.String("field_path", each.fieldPath), rawjson.String("preview", each.preview)}
		if each.shownIn != "" {
			object[1] = rawjson.String("shown_in", each.shownIn)
		}
		if !each.complete {
			object = append(object, rawjson.Raw("next", each.read.structured()))
		}
		encoded[i] = object.Encode()
	}
	return rawjson.Array(encoded)
}

// textEvidence are the excerpts by their fields, and a list of those that are of one. One that is the whole field is shown as it
// is: nobody looks for the match in a text that goes on.
func (h *hit) textEvidence() json.RawMessage {
	var byField rawjson.Object
	for _, each := range h.evidence {
		excerpt := rawjson.Quote(each.preview)
		if each.complete {
			excerpt = rawjson.Quote(unmarked(each.preview))
		}
		if each.shownIn != "" {
			excerpt = rawjson.Object{rawjson.String("shown_in", each.shownIn)}.Encode()
		}
		earlier := byField.Get(each.fieldPath)
		switch list, isList := rawjson.Elements(earlier); {
		case isList:
			excerpt = rawjson.Array(append(list, excerpt))
		case earlier != nil:
			excerpt = rawjson.Array([]rawjson.Value{earlier, excerpt})
		}
		byField = byField.With(each.fieldPath, excerpt)
	}
	return byField.Encode()
}

// isExcerpted reports whether an excerpt is not the whole field.
func (h *hit) isExcerpted() bool {
	return slices.ContainsFunc(h.evidence, func(each evidence) bool { return !each.complete })
}

// groupBodies puts a hit right after a better one that the provider gives the same record id in the same connection, such as
// a mail and its body, if the evidence of one repeats that of the other. The repeated text is shown once.
func groupBodies(hits []*hit) []*hit {
	ordered := make([]*hit, 0, len(hits))
	taken := map[*hit]bool{}
	for i, first := range hits {
		if taken[first] {
			continue
		}
		ordered = append(ordered, first)
		for _, other := range hits[i+1:] {
			isOfRecord := first.recordID != "" && other.recordID == first.recordID && other.connectionID == first.connectionID
			if isOfRecord && !taken[other] && first.shareEvidence(other) {
				ordered, taken[other] = append(ordered, other), true
			}
		}
	}
	return ordered
}

// shareEvidence reports whether evidence of one hit repeats that of another one, and leaves the shorter text to the longer.
func (h *hit) shareEvidence(other *hit) bool {
	for i := range h.evidence {
		for j := range other.evidence {
			a, b := &h.evidence[i], &other.evidence[j]
			textA, textB := essence(a.preview), essence(b.preview)
			if strings.Contains(textB, textA) && a.showIn(other, b) || strings.Contains(textA, textB) && b.showIn(h, a) {
				h.describe()
				other.describe()
				return true
			}
		}
	}
	return false
}

// showIn leaves a text to the evidence of another hit, if the id of that hit is shorter than the text.
func (e *evidence) showIn(other *hit, same *evidence) bool {
	if e.shownIn != "" || same.shownIn != "" || len(other.handle)+len(`{"shown_in":}`) >= len(e.preview) {
		return false
	}
	e.shownIn = other.handle
	return true
}

func (h *hit) showAllEvidence() {
	for i := range h.evidence {
		h.evidence[i].shownIn = ""
	}
	h.describe()
}
