package render

import (
	"regexp"
	"strings"
)

// Tags of a highlight, as the RS writes them.
const (
	openMark  = "<mark>"
	closeMark = "</mark>"
)

// highlightTags are the tags that servers put around a match, all written as <mark> here.
var highlightTags = regexp.MustCompile(`(?i)<(/?)(?:mark|em|strong|b)(?:\s[^<>]{0,100})?>`)

// sentinels are the punctuation that older servers put around a match, in pairs (R-SEARCH-8).
var sentinels = []struct{ open, close string }{
	{"[[[", "]]]"},
	{"[[", "]]"},
	{"{{", "}}"},
	{"<<<", ">>>"},
	{">>>", "<<<"},
	{"<<", ">>"},
	{"⟦", "⟧"},
	{"⟪", "⟫"},
	{"«", "»"},
	{"‹", "›"},
	{"\u0001", "\u0002"},
	{"\u0002", "\u0003"},
	{"\ue000", "\ue001"},
	{"***", "***"},
	{"**", "**"},
	{"__", "__"},
	{"§§", "§§"},
	{"||", "||"},
	{"~~", "~~"},
}

// highlight gives a snippet balanced <mark> tags or none (R-SEARCH-8). Sentinels count only in a
// snippet without tags, and only where they are balanced; a stray one is removed.
func highlight(snippet string) string {
	if highlightTags.MatchString(snippet) {
		return balance(highlightTags.ReplaceAllString(snippet, "<${1}mark>"))
	}
	for _, sentinel := range sentinels {
		if strings.Contains(snippet, sentinel.open) {
			return balance(marked(snippet, sentinel.open, sentinel.close))
		}
		if strings.Contains(snippet, sentinel.close) {
			return strings.ReplaceAll(snippet, sentinel.close, "")
		}
	}
	return snippet
}

// marked turns sentinels into tags. Where both are the same, they open and close by turns.
func marked(snippet, open, closing string) string {
	if open != closing {
		return strings.ReplaceAll(strings.ReplaceAll(snippet, open, openMark), closing, closeMark)
	}
	var out strings.Builder
	opened := false
	for i, piece := range strings.Split(snippet, open) {
		if i > 0 {
			opened = !opened
			if opened {
				out.WriteString(openMark)
			} else {
				out.WriteString(closeMark)
			}
		}
		out.WriteString(piece)
	}
	return out.String()
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

// clipSnippet cuts a snippet and keeps its tags balanced.
func clipSnippet(snippet string, characters int) (string, bool) {
	clipped, cut := Clip(snippet, characters)
	if !cut {
		return snippet, false
	}
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
