package render

import (
	"fmt"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/runtime/answer"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/rawjson"
	"github.com/pdppmcp/pdpp-mcp/runtime/base/wire"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// conversationOfFirst introduces the conversation of a hit in text.
const conversationOfFirst = "conversation of the first hit"

func (s *HitsPage) linesBefore(shown int, note string) []string {
	switch {
	case s.hasNoHits():
		return []string{note}
	case len(s.hits) == 0:
		return []string{"No hits among the records that were read."}
	}
	var lines []string
	if s.Relaxed != nil {
		lines = append(lines, note)
	}
	line := fmt.Sprintf("%s takes an id as it is, %s with a %s.", tool.DocumentTool, tool.FieldTool, tool.FieldPath)
	if slices.ContainsFunc(s.hits, (*hit).hasExcerpt) {
		line += " Evidence with a next line for its field is an excerpt."
	}
	if slices.ContainsFunc(s.hits[:shown], s.showsUnread) {
		line += " " + unread + " was not read: " + tool.DocumentTool + " shows it."
	}
	lines = append(lines, line)
	if len(s.shared) > 0 {
		lines = append(lines, "all hits: "+Tokens(s.shared))
	}
	columns := make(rawjson.Object, len(s.columns))
	for i, c := range s.columns {
		columns[i].Name = columnNames[c]
	}
	return append(lines, columnsLine(wire.ID, columns))
}

// hasExcerpt reports whether some evidence of the hit has a call that continues it.
func (h *hit) hasExcerpt() bool {
	return slices.ContainsFunc(h.excerpts, func(each excerpt) bool { return !each.isWhole })
}

// showsUnread reports whether the row of a hit has a value that was not read.
func (s *HitsPage) showsUnread(h *hit) bool { return slices.ContainsFunc(s.columns, h.mayHave) }

func (s *HitsPage) linesAfter(shown int, next continuation, note string, try, conversation []answer.Call) []string {
	lines := callLines(conversationOfFirst, conversation)
	if sources := s.sources(shown); len(sources) > 1 || s.bySource {
		lines = append(lines, sourceLines(sources, "hits")...) // R-SEARCH-9
	}
	hits, hasMore, count := intToken("hits", int64(shown)), boolToken("has_more", next.hasMore()), countToken(s.envelope.Meta)
	if s.hasNoHits() { // the first line says so
		hits = ""
	}
	if !next.hasMore() && count == fmt.Sprintf("count=exact:%d", shown) { // these are all
		hasMore = ""
	}
	lines = withLine(lines, words(hits, hasMore, count, recallToken(s.envelope.Meta)))
	lines = append(lines, searchedLines(s.Searched)...)
	lines = append(lines, readingLines(s.Reading, shown)...)
	lines = append(lines, smallerLines(s.Smaller, "hits")...)
	lines = append(lines, linesOfWarnings(s.envelope.Warnings)...)
	if s.Relaxed == nil && !s.hasNoHits() { // otherwise the first line has the note
		lines = withLine(lines, note)
	}
	return append(append(lines, callLines(tryWord, try)...), next.lines()...)
}
