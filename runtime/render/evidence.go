package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// excerpt is a part of a field that the RS reports as a match (R-SEARCH-3). Nothing is inferred from names.
type excerpt struct {
	fieldPath string
	sent      string // the text that the preview was made of
	preview   string
	converted bool          // the preview is the text of HTML
	isWhole   bool          // the preview is the whole field
	arguments rawjson.Value // of the call of read_record_field that continues the preview
	shownIn   string        // the id of the next hit whose evidence holds the same text; empty: shown here
}

// findExcerpts returns the match windows that name their field, from the first list that has any: the other lists hold
// the same matches.
func (h *hit) findExcerpts(q *question) []excerpt {
	for _, name := range []string{"evidence_excerpts", "match_windows", "matches"} {
		var found []excerpt
		windows, _ := rawjson.Elements(h.Members.Get(name))
		for _, window := range windows {
			object, _ := rawjson.ParseObject(window)
			if each, ok := h.newExcerpt(object, q); ok {
				found = append(found, each)
			}
			if len(found) == excerptsPerHit {
				break
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func (h *hit) newExcerpt(window rawjson.Object, q *question) (excerpt, bool) {
	read, _ := rawjson.ParseObject(window.Get("read"))
	path := cmp.Or(window.FirstText(wire.FieldPath, wire.Field, "path"), read.FirstText(wire.FieldPath, wire.Field))
	text := window.FirstText("preview_text", "text", "snippet", "excerpt", "preview")
	if text == "" || Length(path) > groupCharacters || !h.canRead(path) {
		return excerpt{}, false
	}
	preview, isConverted, isCut := shownSnippet(text, q.terms)
	isComplete := window.True("complete") || string(window.Get("truncated")) == "false"
	each := excerpt{fieldPath: path, sent: text, preview: preview, converted: isConverted, isWhole: isComplete && !isCut}
	if !each.isWhole {
		words := cmp.Or(firstMarked(preview), q.clippedWords)
		each.arguments = h.readField(path, selectors(window, read, words)...).Arguments.Encode()
	}
	return each, true
}

// selectors return the place of the match: the RS's own offset, cursor or search, otherwise a search for the words.
func selectors(window, read rawjson.Object, words string) []rawjson.Member {
	for _, from := range []rawjson.Object{read, window} {
		for _, name := range []string{wire.OffsetChars, "start_chars"} {
			if offset, ok := from.Int(name); ok && offset >= 0 {
				return []rawjson.Member{rawjson.Int(tool.FieldOffsetChars, offset)}
			}
		}
		if cursor := from.Text(wire.Cursor); cursor != "" && len(cursor) <= urlCharacters {
			return []rawjson.Member{rawjson.String(tool.FieldCursor, cursor)}
		}
		if q := from.Text(wire.Q); q != "" && len(q) <= groupCharacters {
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

// appendExcerpts appends the excerpts in the form of results. An excerpt without a call is the whole field.
func appendExcerpts(out []byte, excerpts []excerpt) []byte {
	out = append(out, '[')
	for i, each := range excerpts {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(append(out, '{'), wire.FieldPath, each.fieldPath)
		if each.shownIn != "" {
			out = appendText(out, "shown_in", each.shownIn)
		} else {
			out = appendText(out, "preview", each.preview)
			if each.converted {
				out = append(rawjson.AppendName(out, convertedName), "true"...)
			}
		}
		if !each.isWhole {
			out = appendText(append(rawjson.AppendName(out, "next"), "[{"...), "tool", tool.FieldTool)
			out = append(rawjson.AppendName(out, "arguments"), each.arguments...)
			out = append(appendText(out, "kind", string(answer.RestOfField)), "}]"...)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// appendText appends a member with a text to an object that is not closed yet.
func appendText(out []byte, name, text string) []byte {
	return rawjson.AppendQuote(rawjson.AppendName(out, name), text)
}

// appendByField appends the excerpts by field, in the form of the text: several of a field are a list.
func appendByField(out []byte, excerpts []excerpt) []byte {
	out = append(out, '{')
	for i, first := range excerpts {
		isSame := func(other excerpt) bool { return other.fieldPath == first.fieldPath }
		if slices.ContainsFunc(excerpts[:i], isSame) {
			continue
		}
		out = rawjson.AppendName(out, first.fieldPath)
		isList := slices.ContainsFunc(excerpts[i+1:], isSame)
		if isList {
			out = append(out, '[')
		}
		for j, each := range excerpts[i:] {
			if !isSame(each) {
				continue
			}
			if j > 0 {
				out = append(out, ',')
			}
			out = each.appendPreview(out)
		}
		if isList {
			out = append(out, ']')
		}
	}
	return append(out, '}')
}

// appendPreview appends the excerpt in the form of the text. A whole field has no highlight tags, which would not help
// to find the match.
func (e excerpt) appendPreview(out []byte) []byte {
	switch {
	case e.shownIn != "":
		return append(appendText(append(out, '{'), "shown_in", e.shownIn), '}')
	case e.converted:
		return append(appendText(append(out, '{'), convertedName, e.preview), '}')
	case e.isWhole:
		return rawjson.AppendQuote(out, unmarked(e.preview))
	}
	return rawjson.AppendQuote(out, e.preview)
}

// groupBodies moves a hit right after a better one with the same record id and connection, such as a mail and its body,
// if their evidence repeats. The repeated text is shown once.
func groupBodies(hits []*hit) []*hit {
	type record struct{ connectionID, recordID string }
	same := make(map[record][]*hit, len(hits))
	for _, h := range hits {
		if h.recordID != "" {
			key := record{h.connectionID, h.recordID}
			same[key] = append(same[key], h)
		}
	}
	if len(same) == len(hits) {
		return hits
	}
	ordered := make([]*hit, 0, len(hits))
	isOrdered := map[*hit]bool{}
	for _, first := range hits {
		if isOrdered[first] {
			continue
		}
		ordered, isOrdered[first] = append(ordered, first), true
		for _, other := range same[record{first.connectionID, first.recordID}] {
			if !isOrdered[other] && first.shareEvidence(other) {
				ordered, isOrdered[other] = append(ordered, other), true
			}
		}
	}
	return ordered
}

// shareEvidence replaces a text that the evidence of both hits has: the shorter text refers to the longer. It reports
// whether it replaced one.
func (h *hit) shareEvidence(other *hit) bool {
	for i := range h.excerpts {
		for j := range other.excerpts {
			a, b := &h.excerpts[i], &other.excerpts[j]
			textA, textB := normalized(a.preview), normalized(b.preview)
			if strings.Contains(textB, textA) && a.showIn(other, b) || strings.Contains(textA, textB) && b.showIn(h, a) {
				return true
			}
		}
	}
	return false
}

// showIn replaces a text with the id of another hit that has it, if that is shorter. It reports whether it did.
func (e *excerpt) showIn(other *hit, same *excerpt) bool {
	if e.shownIn != "" || same.shownIn != "" || len(other.handle)+len(`{"shown_in":}`) >= len(e.preview) {
		return false
	}
	e.shownIn = other.handle
	return true
}

func (h *hit) showAllEvidence() {
	for i := range h.excerpts {
		h.excerpts[i].shownIn = ""
	}
}
