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

// sureSentinels occur only as marks. The other sentinels also occur in prose, and count only if they enclose a word of
// the query.
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

// maxSnippet is the number of bytes around the first match that are searched for marks. Excerpts of servers are far
// shorter.
const maxSnippet = 16 << 10

// aroundMatch returns the part of a long text around its first tag.
func aroundMatch(text string) string {
	if len(text) <= maxSnippet {
		return text
	}
	start := max(0, strings.Index(text, "<mark")-maxSnippet/8)
	end := min(len(text), start+maxSnippet)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[start:end]
}

// shownSnippet returns a text around a match as results show it, and whether it was converted from HTML or cut.
func shownSnippet(text string, terms []string) (shown string, isConverted, isCut bool) {
	shown = aroundMatch(text)
	isCut = len(shown) < len(text)
	shown, isConverted = convertExcerpt(highlight(shown, terms))
	shown, isClipped := clipSnippet(shown, snippetCharacters)
	return shown, isConverted, isCut || isClipped
}

// highlight returns a snippet with balanced <mark> tags or none (R-SEARCH-8). Terms are the words of the query in lower
// case.
func highlight(snippet string, terms []string) string {
	snippet = exactMarks(snippet)
	if strings.Contains(snippet, openMark) || strings.Contains(snippet, closeMark) {
		return balance(snippet)
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

// exactMarks returns a text with highlight tags of any spelling as the RS writes them. Most texts have no other
// spelling.
func exactMarks(text string) string {
	for i := strings.IndexByte(text, '<'); i >= 0; {
		name := strings.TrimPrefix(text[i+1:], "/")
		isTag := len(name) > len("mark") && strings.EqualFold(name[:len("mark")], "mark")
		if isTag && !strings.HasPrefix(name, "mark>") {
			return markTags.ReplaceAllString(text, "<${1}mark>")
		}
		next := strings.IndexByte(text[i+1:], '<')
		if next < 0 {
			return text
		}
		i += 1 + next
	}
	return text
}

// mayMark reports whether the pair may mark a match in the snippet. If the reversed pair is also a sentinel, the pair
// that opens first is the one in use.
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
	var marked strings.Builder
	for i, part := range strings.Split(snippet, s.open) {
		if i > 0 {
			marked.WriteString([]string{closeMark, openMark}[i%2])
		}
		marked.WriteString(part)
	}
	return marked.String()
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
	out.Grow(len(snippet))
	lastClose := strings.LastIndex(snippet, closeMark)
	isOpen := false
	for i := 0; ; {
		next := strings.IndexByte(snippet[i:], '<')
		if next < 0 {
			out.WriteString(snippet[i:])
			return out.String()
		}
		out.WriteString(snippet[i : i+next])
		switch i += next; {
		case strings.HasPrefix(snippet[i:], openMark):
			if !isOpen && i < lastClose {
				out.WriteString(openMark)
				isOpen = true
			}
			i += len(openMark)
		case strings.HasPrefix(snippet[i:], closeMark):
			if isOpen {
				out.WriteString(closeMark)
				isOpen = false
			}
			i += len(closeMark)
		default:
			out.WriteByte('<')
			i++
		}
	}
}

// unmarked returns a snippet without tags. A strings.Replacer takes several times as long.
func unmarked(snippet string) string {
	var out []byte
	done := 0
	for i := strings.IndexByte(snippet, '<'); i >= 0 && i < len(snippet); {
		rest := snippet[i:]
		tag := ""
		switch {
		case strings.HasPrefix(rest, openMark):
			tag = openMark
		case strings.HasPrefix(rest, closeMark):
			tag = closeMark
		}
		if tag != "" {
			out, done = append(out, snippet[done:i]...), i+len(tag)
		}
		step := max(1, len(tag))
		next := strings.IndexByte(rest[step:], '<')
		if next < 0 {
			break
		}
		i += step + next
	}
	if done == 0 {
		return snippet
	}
	return string(append(out, snippet[done:]...))
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
	if i := strings.LastIndexByte(clipped, '<'); i >= 0 && // a tag may be cut in two
		(strings.HasPrefix(openMark, clipped[i:]) || strings.HasPrefix(closeMark, clipped[i:])) {
		clipped = clipped[:i]
	}
	if strings.LastIndex(clipped, openMark) > strings.LastIndex(clipped, closeMark) {
		clipped += closeMark
	}
	return clipped, true
}
