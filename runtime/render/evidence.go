package render

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// excerpt is a part of a field that the RS reports as a match (R-SEARCH-3). Nothing is inferred from names.
type excerpt struct {
	fieldPath string
	preview   string
	converted bool        // the preview is the text of HTML
	isWhole   bool        // the preview is the whole field
	read      answer.Call // continues the preview
	shownIn   string      // the id of the next hit whose evidence holds the same text; empty: shown here
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

// structuredEvidence returns the excerpts in the form of results. An excerpt without a call is the whole field.
func structuredEvidence(excerpts []excerpt) json.RawMessage {
	encoded := make([]json.RawMessage, len(excerpts))
	for i, each := range excerpts {
		object := rawjson.Object{rawjson.String("field_path", each.fieldPath)}
		if each.shownIn != "" {
			object = append(object, rawjson.String("shown_in", each.shownIn))
		} else {
			object = append(object, rawjson.String("preview", each.preview))
			if each.converted {
				object = append(object, rawjson.Bool(convertedName, true))
			}
		}
		if !each.isWhole {
			object = append(object, rawjson.Raw("next", structuredCall(each.read)))
		}
		encoded[i] = object.Encode()
	}
	return rawjson.Array(encoded)
}

// textEvidence returns the excerpts by field. A whole field has no highlight tags, which would not help to find the match.
func textEvidence(excerpts []excerpt) json.RawMessage {
	var byField rawjson.Object
	for _, each := range excerpts {
		text := rawjson.Quote(each.preview)
		switch {
		case each.shownIn != "":
			text = rawjson.Object{rawjson.String("shown_in", each.shownIn)}.Encode()
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

// Tags of a highlight, as the RS writes them.
const (
	openMark  = "<mark>"
	closeMark = "</mark>"
)

// markTags matches highlight tags in any spelling.
var markTags = regexp.MustCompile(`(?i)<(/?)mark(?:\s[^<>]{0,100})?>`)

// sentinel is a pair of marks that servers put around a match in place of tags (R-SEARCH-8).
type sentinel struct{ open, closing string }

// sureSentinels occur only as marks. The other sentinels also occur in prose, and count only if they enclose a word of the query.
var (
	sureSentinels = []sentinel{
		{"\u0001", "\u0002"}, {"\u0002", "\u0003"}, {"\ue000", "\ue001"}, {"⟦", "⟧"}, {"⟪", "⟫"}, {"[[[", "]]]"}, {"<<<", ">>>"}, {">>>", "<<<"},
	}
	sentinels = append(slices.Clip(sureSentinels), []sentinel{
		{"<em>", "</em>"},
		{"<strong>", "</strong>"},
		{"<b>", "</b>"},
		{"[[", "]]"},
		{"{{", "}}"},
		{"<<", ">>"},
		{">>", "<<"},
		{"«", "»"},
		{"»", "«"},
		{"‹", "›"},
		{"***", "***"},
		{"**", "**"},
		{"__", "__"},
		{"~~", "~~"},
		{"||", "||"},
		{"[", "]"},
		{"{", "}"},
		{"*", "*"},
		{"_", "_"},
	}...)
)

// highlight returns a snippet with balanced <mark> tags or none (R-SEARCH-8). Terms are the words of the query in lower case.
func highlight(snippet string, terms []string) string {
	if markTags.MatchString(snippet) {
		return balance(markTags.ReplaceAllString(snippet, "<${1}mark>"))
	}
	for i, sentinel := range sentinels {
		isSure := i < len(sureSentinels)
		if !sentinel.mayMark(snippet, isSure) {
			continue
		}
		if marked := sentinel.mark(snippet); isSure || encloses(marked, terms) {
			return balance(marked)
		}
	}
	return snippet
}

// mayMark reports whether the pair may mark a match in the snippet. If the reversed pair is also a sentinel, the pair that opens first is
// the one in use.
func (s sentinel) mayMark(snippet string, isSure bool) bool {
	open, closing := strings.Index(snippet, s.open), strings.Index(snippet, s.closing)
	if open < 0 {
		return isSure && closing >= 0
	}
	return closing < 0 || open <= closing || !slices.Contains(sentinels, sentinel{s.closing, s.open})
}

// mark replaces sentinels with tags. A sentinel that opens and closes with the same text alternates.
func (s sentinel) mark(snippet string) string {
	if s.open != s.closing {
		return strings.NewReplacer(s.open, openMark, s.closing, closeMark).Replace(snippet)
	}
	parts := strings.Split(snippet, s.open)
	marked := parts[0]
	for i, part := range parts[1:] {
		marked += []string{openMark, closeMark}[i%2] + part
	}
	return marked
}

func encloses(snippet string, terms []string) bool {
	for _, part := range strings.Split(snippet, openMark)[1:] {
		inside, _, isClosed := strings.Cut(strings.ToLower(part), closeMark)
		if isClosed && slices.ContainsFunc(terms, func(term string) bool { return strings.Contains(inside, term) }) {
			return true
		}
	}
	return false
}

// balance removes tags that close nothing, are never closed, or are inside another one.
func balance(snippet string) string {
	var out strings.Builder
	for {
		before, rest, isOpened := strings.Cut(snippet, openMark)
		out.WriteString(unmarked(before))
		if !isOpened {
			return out.String()
		}
		snippet = rest
		if inside, after, isClosed := strings.Cut(rest, closeMark); isClosed {
			out.WriteString(openMark + unmarked(inside) + closeMark)
			snippet = after
		}
	}
}

func unmarked(snippet string) string { return withoutMarks.Replace(snippet) }

var withoutMarks = strings.NewReplacer(openMark, "", closeMark, "")

// clipSnippet clips a snippet so that its first highlight is well within it, and keeps its tags balanced.
func clipSnippet(snippet string, characters int) (clipped string, isCut bool) {
	if len(tool.Clip(snippet, characters)) == len(snippet) {
		return snippet, false
	}
	if match := strings.Index(snippet, openMark); match > characters/2 {
		start := match - characters/4
		for !utf8.RuneStart(snippet[start]) {
			start--
		}
		snippet = "…" + snippet[start:]
	}
	clipped = tool.Clip(snippet, characters)
	if at := strings.LastIndexByte(clipped, '<'); at >= 0 && // a tag may be cut in two
		(strings.HasPrefix(openMark, clipped[at:]) || strings.HasPrefix(closeMark, clipped[at:])) {
		clipped = clipped[:at]
	}
	if strings.LastIndex(clipped, openMark) > strings.LastIndex(clipped, closeMark) {
		clipped += closeMark
	}
	return clipped, true
}

// groupBodies moves a hit right after a better one with the same record id and connection, such as a mail and its body, if their evidence
// repeats. The repeated text is shown once.
func groupBodies(hits []*hit) []*hit {
	ordered := make([]*hit, 0, len(hits))
	isGrouped := map[*hit]bool{}
	for i, first := range hits {
		if isGrouped[first] {
			continue
		}
		ordered = append(ordered, first)
		for _, other := range hits[i+1:] {
			isSameRecord := first.recordID != "" && other.recordID == first.recordID && other.connectionID == first.connectionID
			if isSameRecord && !isGrouped[other] && first.shareEvidence(other) {
				ordered, isGrouped[other] = append(ordered, other), true
			}
		}
	}
	return ordered
}

// shareEvidence replaces a text that the evidence of both hits has: the shorter text refers to the longer. It reports whether it replaced
// one.
func (h *hit) shareEvidence(other *hit) bool {
	for i := range h.excerpts {
		for j := range other.excerpts {
			a, b := &h.excerpts[i], &other.excerpts[j]
			textA, textB := normalized(a.preview), normalized(b.preview)
			if strings.Contains(textB, textA) && a.showIn(other, b) || strings.Contains(textA, textB) && b.showIn(h, a) {
				h.fillCells()
				other.fillCells()
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
	h.fillCells()
}
