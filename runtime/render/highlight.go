package render

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// Tags of a highlight, as the RS writes them.
const (
	openMark  = "<mark>"
	closeMark = "</mark>"
)

// markTags matches highlight tags in any spelling.
var markTags = regexp.MustCompile(`(?i)<(/?)mark(?:\s[^<>]{0,100})?>`)

// sentinel is a pair of marks that servers put around a match in place of tags (R-SEARCH-8).
type sentinel struct{ open, closing string }

// Sure sentinels have no other use. The others are also prose, and count only if they enclose a word of the query.
var (
	sureSentinels = []sentinel{
		{"\u0001", "\u0002"}, {"\u0002", "\u0003"}, {"\ue000", "\ue001"}, {"⟦", "⟧"}, {"⟪", "⟫"}, {"[[[", "]]]"}, {"<<<", ">>>"}, {">>>", "<<<"},
	}
	sentinels = append(slices.Clip(sureSentinels), []sentinel{
		{"<em>", "</em>"}, {"<strong>", "</strong>"}, {"<b>", "</b>"}, {"[[", "]]"}, {"{{", "}}"}, {"<<", ">>"}, {">>", "<<"}, {"«", "»"}, {"»", "«"},
		{"‹", "›"}, {"***", "***"}, {"**", "**"}, {"__", "__"}, {"~~", "~~"}, {"||", "||"}, {"[", "]"}, {"{", "}"}, {"*", "*"}, {"_", "_"},
	}...)
)

// highlight returns a snippet with balanced <mark> tags or none (R-SEARCH-8). Terms are the words of the query in lower case.
func highlight(snippet string, terms []string) string {
	if markTags.MatchString(snippet) {
		return balance(markTags.ReplaceAllString(snippet, "<${1}mark>"))
	}
	for i, sentinel := range sentinels {
		isSure := i < len(sureSentinels)
		if !sentinel.isIn(snippet, isSure) {
			continue
		}
		if marked := sentinel.mark(snippet); isSure || encloses(marked, terms) {
			return balance(marked)
		}
	}
	return snippet
}

// isIn reports whether the pair may have been used. Of a pair and its reverse, the one whose opening comes first was used.
func (s sentinel) isIn(snippet string, isSure bool) bool {
	open, closing := strings.Index(snippet, s.open), strings.Index(snippet, s.closing)
	if open < 0 {
		return isSure && closing >= 0
	}
	return closing < 0 || open <= closing || !slices.Contains(sentinels, sentinel{s.closing, s.open})
}

// mark turns sentinels into tags. Where both are the same, they alternate.
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

func unmarked(snippet string) string {
	return strings.NewReplacer(openMark, "", closeMark, "").Replace(snippet)
}

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
