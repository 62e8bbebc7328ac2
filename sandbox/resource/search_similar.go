package resource

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// semanticCursorPrefix keeps cursors of the semantic search apart from lexical ones.
const semanticCursorPrefix = "sem1."

// previewRunes bounds the text that a hit of a search without highlights shows.
const previewRunes = 240

// searchSemantic ranks by similarity of spelling, because the sandbox has no language model. The score's kind says so.
func (s *server) searchSemantic(c *call) (any, error) {
	wanted, err := s.newSearch(c)
	if err != nil {
		return nil, err
	}
	cursor := c.parameters.value("cursor")
	if cursor != "" && !strings.HasPrefix(cursor, semanticCursorPrefix) {
		return nil, invalid("invalid_cursor", "Cursor is malformed")
	}
	page, err := s.newSearchPage(c, wanted, "semantic", strings.TrimPrefix(cursor, semanticCursorPrefix))
	if err != nil {
		return nil, err
	}
	hits, err := s.store.Similar(c.Context(), wanted.q, wanted.scopes)
	if err != nil {
		return nil, err
	}
	shown, next, err := page.cut(hits)
	if err != nil {
		return nil, err
	}
	answer := list[searchHit]{Object: "list", URL: c.URL.Path, Data: []searchHit{}, Links: listLinks{Self: c.self()}}
	for _, hit := range shown {
		document, err := s.similarHit(c, wanted, hit, "semantic")
		if err != nil {
			return nil, err
		}
		document.Score = trigramCoverage(hit.Score)
		answer.Data = append(answer.Data, document)
	}
	if next != "" {
		next = semanticCursorPrefix + next
		answer.HasMore, answer.NextCursor, answer.Links.Next = true, next, c.nextPage(next)
	}
	answer.Meta = c.meta(count{Kind: "none"})
	return answer, nil
}

func trigramCoverage(value float64) *score {
	return &score{Kind: "trigram_coverage", Order: "higher_is_better", Value: value}
}

func (s *server) similarHit(c *call, wanted search, hit store.Hit, mode string) (searchHit, error) {
	document := c.newHit(wanted.sources[sourceKey{hit.ConnectionID, hit.Stream}], hit)
	text, _, err := s.store.Beginning(c.Context(), hit.Matches[0], previewRunes)
	document.Snippet = snippet{Field: hit.Matches[0].Field, Text: text}
	document.RetrievalMode = mode
	return document, err
}

// fusedHit is a record that the lexical search, the similarity search or both found.
type fusedHit struct {
	lexical, similar *store.Hit
	weight           float64
}

// searchHybrid merges both searches by rank. Its result has one page.
func (s *server) searchHybrid(c *call) (any, error) {
	if _, given := c.parameters.first("cursor"); given {
		return nil, invalidRequest("cursor pagination is not supported on /v1/search/hybrid").of("cursor")
	}
	wanted, err := s.newSearch(c)
	if err != nil {
		return nil, err
	}
	lexical, err := s.store.Search(c.Context(), wanted.q, wanted.scopes)
	if err != nil {
		return nil, err
	}
	similar, err := s.store.Similar(c.Context(), wanted.q, wanted.scopes)
	if err != nil {
		return nil, err
	}
	hits := fuse(lexical, similar)
	answer := list[searchHit]{Object: "list", URL: c.URL.Path, Data: []searchHit{}, Links: listLinks{Self: c.self()}}
	answer.HasMore = len(hits) > wanted.limit
	for _, hit := range hits[:min(len(hits), wanted.limit)] {
		document, err := s.hybridHit(c, wanted, hit)
		if err != nil {
			return nil, err
		}
		answer.Data = append(answer.Data, document)
	}
	answer.Meta = c.meta(count{Kind: "none"})
	return answer, nil
}

// fuse ranks by the sum of 1/(60+rank) over both lists: reciprocal rank fusion (Cormack, Clarke and
// Büttcher, SIGIR 2009), which needs no comparable scores.
func fuse(lexical, similar []store.Hit) []fusedHit {
	const damping = 60
	var fused []fusedHit
	places := map[[3]string]int{}
	place := func(hit store.Hit) *fusedHit {
		name := [3]string{hit.ConnectionID, hit.Stream, hit.Key}
		i, seen := places[name]
		if !seen {
			i = len(fused)
			places[name] = i
			fused = append(fused, fusedHit{})
		}
		return &fused[i]
	}
	for rank, hit := range lexical {
		f := place(hit)
		f.lexical, f.weight = &hit, f.weight+1/float64(damping+rank+1)
	}
	for rank, hit := range similar {
		f := place(hit)
		f.similar, f.weight = &hit, f.weight+1/float64(damping+rank+1)
	}
	slices.SortStableFunc(fused, func(a, b fusedHit) int { return cmp.Compare(b.weight, a.weight) })
	return fused
}

func (s *server) hybridHit(c *call, wanted search, hit fusedHit) (searchHit, error) {
	var document searchHit
	var err error
	if hit.lexical != nil {
		document, err = s.lexicalHit(c, wanted, *hit.lexical)
		document.EvidenceExcerpts, document.Score = nil, nil
	} else {
		document, err = s.similarHit(c, wanted, *hit.similar, "hybrid")
	}
	document.RetrievalMode, document.Scores = "hybrid", map[string]score{}
	if hit.lexical != nil {
		document.RetrievalSources = append(document.RetrievalSources, "lexical")
		document.Scores["lexical"] = *bm25(hit.lexical.Score)
	}
	if hit.similar != nil {
		document.RetrievalSources = append(document.RetrievalSources, "semantic")
		document.Scores["semantic"] = *trigramCoverage(hit.similar.Score)
	}
	return document, err
}
