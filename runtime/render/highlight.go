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

// markTags are highlight tags in any spelling.
var markTags = regexp.MustCompile(`(?i)<(/?)mark(?:\s[^<>]{0,100})?>`)

// sentinel is a pair that servers put around a match in place of tags (R-SEARCH-8). A sure one has no
// other use; the others count only where they enclose a word of the query, since brackets, quotation
// marks and bold text are also prose.
type sentinel struct {
	open, closing string
	sure          bool
}

var sentinels = []sentinel{
	{"\u0001", "\u0002", true},
	{"\u0002", "\u0003", true},
	{"\ue000", "\ue001", true},
	{"⟦", "⟧", true},
	{"⟪", "⟫", true},
	{"[[[", "]]]", true},
	{"<<<", ">>>", true},
	{">>>", "<<<", true},
	{"<em>", "</em>", false},
	{"<strong>", "</strong>", false},
	{"<b>", "</b>", false},
	{"[[", "]]", false},
	{"{{", "}}", false},
	{"<<", ">>", false},
	{">>", "<<", false},
	{"«", "»", false},
	{"»", "«", false},
	{"‹", "›", false},
	{"***", "***", false},
	{"**", "**", false},
	{"__", "__", false},
	{"~~", "~~", false},
	{"||", "||", false},
	{"[", "]", false},
	{"{", "}", false},
	{"*", "*", false},
	{"_", "_", false},
}

// highlight gives a snippet balanced <mark> tags or none (R-SEARCH-8). Terms are the words of the
// query in lower case. A stray sentinel of the sure kind is removed.
func highlight(snippet string, terms []string) string {
	if strings.Contains(snippet, "<") && markTags.MatchString(snippet) {
		return balance(markTags.ReplaceAllString(snippet, "<${1}mark>"))
	}
	for _, sentinel := range sentinels {
		if !sentinel.found(snippet) {
			continue
		}
		marked := sentinel.mark(snippet)
		if sentinel.sure || encloses(marked, terms) {
			return balance(marked)
		}
	}
	return snippet
}

// found reports whether the pair may have been used. Of a pair and its reverse, the one whose opening comes
// first is meant.
func (s sentinel) found(snippet string) bool {
	open, closing := strings.Index(snippet, s.open), strings.Index(snippet, s.closing)
	if open < 0 {
		return s.sure && closing >= 0
	}
	return closing < 0 || open <= closing || !slices.ContainsFunc(sentinels, func(other sentinel) bool {
		return other.open == s.closing && other.closing == s.open
	})
}

// mark turns sentinels into tags. Where both are the same, they open and close by turns.
func (s sentinel) mark(snippet string) string {
	if s.open != s.closing {
		return strings.NewReplacer(s.open, openMark, s.closing, closeMark).Replace(snippet)
	}
	var out strings.Builder
	opened := false
	for i, piece := range strings.Split(snippet, s.open) {
		switch {
		case i > 0 && opened:
			out.WriteString(closeMark)
		case i > 0:
			out.WriteString(openMark)
		}
		opened = i > 0 && !opened
		out.WriteString(piece)
	}
	return out.String()
}

// encloses reports whether a highlight holds a word of the query.
func encloses(snippet string, terms []string) bool {
	pieces := strings.Split(snippet, openMark)
	for _, piece := range pieces[1:] {
		inside, _, closed := strings.Cut(piece, closeMark)
		inside = strings.ToLower(inside)
		for _, term := range terms {
			if closed && strings.Contains(inside, term) {
				return true
			}
		}
	}
	return false
}

// balance removes tags that close nothing, are never closed, or stand inside another one.
func balance(snippet string) string {
	var out strings.Builder
	for snippet != "" {
		start := strings.Index(snippet, openMark)
		if start < 0 {
			break
		}
		out.WriteString(unmarked(snippet[:start]))
		rest := snippet[start+len(openMark):]
		end := strings.Index(rest, closeMark)
		if end < 0 {
			snippet = rest
			continue
		}
		out.WriteString(openMark + unmarked(rest[:end]) + closeMark)
		snippet = rest[end+len(closeMark):]
	}
	out.WriteString(unmarked(snippet))
	return out.String()
}

// unmarked is a snippet without its tags.
func unmarked(snippet string) string {
	return strings.ReplaceAll(strings.ReplaceAll(snippet, openMark, ""), closeMark, "")
}

// clipSnippet cuts a snippet so that its first highlight stands well within it, and keeps its tags balanced.
func clipSnippet(snippet string, characters int) (clipped string, cut bool) {
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
	// A tag that was cut in two is not text.
	if at := strings.LastIndexByte(clipped, '<'); at >= 0 &&
		(strings.HasPrefix(openMark, clipped[at:]) || strings.HasPrefix(closeMark, clipped[at:])) {
		clipped = clipped[:at]
	}
	if strings.LastIndex(clipped, openMark) > strings.LastIndex(clipped, closeMark) {
		clipped += closeMark
	}
	return clipped, true
}
