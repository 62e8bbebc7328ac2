package render

import (
	"fmt"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/rawjson"
)

// Bounds of a search's text.
const (
	evidenceCharacters = 2_500 // all excerpts together
)

// text is the page of hits in the order of R-SEARCH-2. Every hit has its handle; the first ones also
// have title and snippet, as far as they fit.
func (s *search) text() string {
	tail := s.tail()
	free := TextCharacters - s.handlesLength()
	excerpts, proven := s.excerpts(min(free/2, evidenceCharacters))
	for _, line := range excerpts {
		free -= Length(line) + 1
	}
	lines := append(s.first(), excerpts...)
	for _, hit := range s.hits[:s.shown] {
		rich := hit.lines(proven[hit])
		length := Length(strings.Join(rich, "\n")) - Length(hit.handleLine())
		if length > free {
			rich, free = []string{hit.handleLine()}, 0 // later hits stay short as well
		} else {
			free -= length
		}
		lines = append(lines, rich...)
	}
	return strings.Join(append(lines, tail...), "\n")
}

// handlesLength is the length of the text before anything but handles is shown of the hits.
func (s *search) handlesLength() int {
	length := 0
	for _, line := range append(s.first(), s.tail()...) {
		length += Length(line) + 1
	}
	for _, hit := range s.hits[:s.shown] {
		length += Length(hit.handleLine()) + 1
	}
	return length
}

// first is the handle to start with.
func (s *search) first() []string {
	for _, hit := range s.hits[:s.shown] {
		if hit.isRecord() {
			return []string{
				Token("first_fetch_id", hit.handle),
				"Pass an id to fetch as it is shown.",
			}
		}
	}
	if len(s.hits) == 0 {
		return []string{"No hits."}
	}
	return nil
}

// excerpts are the proven matches of the first hits, and which hits they belong to.
func (s *search) excerpts(characters int) ([]string, map[*hit]bool) {
	var lines []string
	proven := map[*hit]bool{}
	for _, hit := range s.hits[:s.shown] {
		for _, evidence := range hit.evidence {
			pair := []string{
				"evidence " + line(
					hit.tokens(), Token("field_path", evidence.fieldPath), Token("snippet", evidence.preview),
					BoolToken("complete", evidence.complete),
				),
				"  " + evidence.read.Line(),
			}
			if characters -= Length(strings.Join(pair, "\n")) + 1; characters < 0 {
				return lines, proven
			}
			lines = append(lines, pair...)
			proven[hit] = true
		}
	}
	return lines, proven
}

// handleLine is the least that a hit shows.
func (h *hit) handleLine() string { return "hit " + h.tokens() }

// lines show a hit (R-SEARCH-4), and how to go on when no evidence does.
func (h *hit) lines(proven bool) []string {
	head := line(
		h.handleLine(), tokenIf("connector_key", h.connectorKey), tokenIf("display_name", h.displayName),
		tokenIf("stream", h.stream), tokenIf("title", h.title), tokenIf("snippet", h.snippet),
	)
	switch {
	case proven || !h.isRecord():
		return []string{head}
	case len(h.evidence) > 0:
		return []string{head, "  " + h.evidence[0].read.Line()}
	}
	return []string{head, "  " + h.fetch().Line()}
}

// tail is what surrounds the hits: sources, counts, recall, warnings and how to page.
func (s *search) tail() []string {
	lines := s.sourceMix()
	meta := s.Meta()
	lines = append(lines, line(
		IntToken("hits", int64(s.shown)), BoolToken("has_more", s.on().hasMore()), countToken(meta),
	))
	if recall, ok := rawjson.ParseObject(meta.Get("recall")); ok {
		shown := scalarTokens(recall)
		lines = append(lines, "recall "+line(shown[:min(len(shown), fieldsPreviewed)]...))
	}
	lines = append(lines, s.again.lines("hits")...)
	lines = append(lines, warningLines(meta)...)
	if s.narrowed > 0 {
		lines = append(lines, fmt.Sprintf("hits_narrowed=%d: long members are left out of these hits; fetch shows the records.", s.narrowed))
	}
	if on := s.on(); on.cursor != "" {
		lines = append(lines, Token("next_cursor", on.cursor))
	}
	lines = append(lines, s.on().lines()...)
	for _, call := range s.on().calls {
		lines = append(lines, call.Line())
	}
	return lines
}

// sourceMix counts the hits of each connection when there are several (R-SEARCH-9).
func (s *search) sourceMix() []string {
	counts := map[string]int{}
	var order []*hit
	for _, hit := range s.hits[:s.shown] {
		if hit.connectionID == "" {
			continue
		}
		if counts[hit.connectionID]++; counts[hit.connectionID] == 1 {
			order = append(order, hit)
		}
	}
	if len(order) < 2 {
		return nil
	}
	var lines []string
	for i, hit := range order {
		if i == sourcesShown {
			return append(lines, fmt.Sprintf("more_sources=%d", len(order)-i))
		}
		lines = append(lines, "source "+line(
			Token("connection_id", hit.connectionID), tokenIf("connector_key", hit.connectorKey),
			tokenIf("display_name", hit.displayName), IntToken("hits", int64(counts[hit.connectionID])),
		))
	}
	return lines
}
