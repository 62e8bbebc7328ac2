package resource

import (
	"cmp"
	"slices"

	"github.com/pdppmcp/pdpp-mcp/sandbox/store"
)

// excerpt shows where a field matched, and how to read the rest of it.
type excerpt struct {
	Object      string     `json:"object"` // "evidence_excerpt"
	FieldPath   string     `json:"field_path"`
	PreviewText string     `json:"preview_text"`
	Provenance  string     `json:"provenance"` // "lexical_match"
	Truncated   bool       `json:"truncated"`
	Read        windowRead `json:"read"`
}

// windowRead is the request that reads a field.
type windowRead struct {
	Object       string `json:"object"` // "field_window_read"
	Method       string `json:"method"` // "GET"
	Route        string `json:"route"`
	Stream       string `json:"stream"`
	RecordID     string `json:"record_id"`
	Field        string `json:"field"`
	ConnectionID string `json:"connection_id"`
}

// lexicalList is a page of lexical hits. Unlike other lists it counts with a bare number.
type lexicalList struct {
	Object     string      `json:"object"` // "list"
	URL        string      `json:"url"`
	Data       []searchHit `json:"data"`
	HasMore    bool        `json:"has_more"`
	NextCursor string      `json:"next_cursor,omitempty"`
	Links      listLinks   `json:"links"`
	Meta       lexicalMeta `json:"meta"`
}

type lexicalMeta struct {
	Count         int       `json:"count"`
	CountAccuracy string    `json:"count_accuracy"` // "exact", or "lower_bound" when the recall is truncated
	Recall        recall    `json:"recall"`
	Warnings      []warning `json:"warnings"`

	Fulfillment *fulfillment `json:"fulfillment,omitempty"`
}

// maxCandidates bounds the matches that are ranked for each connection.
const maxCandidates = 200

// recall reports how many of the possible matches were ranked.
type recall struct {
	Complete             bool   `json:"complete"`
	Truncated            bool   `json:"truncated"`
	RankedCandidateCount int    `json:"ranked_candidate_count"`
	RankingScope         string `json:"ranking_scope"`
	SourcesSearchedCount int    `json:"sources_searched_count"`
	// Connections with more than maxCandidates matches; no page has the rest.
	CandidateWindowLimit int `json:"candidate_window_limit,omitempty"`
	TruncatedSourceCount int `json:"truncated_source_count,omitempty"`
}

// candidates returns the best hits of each connection, and whether hits were left out.
func candidates(hits []store.Hit) ([]store.Hit, recall) {
	kept, ofConnection := []store.Hit{}, map[string]int{}
	about := recall{Complete: true, RankingScope: "all_matches"}
	for _, hit := range hits {
		ofConnection[hit.ConnectionID]++
		switch number := ofConnection[hit.ConnectionID]; {
		case number <= maxCandidates:
			kept = append(kept, hit)
		case number == maxCandidates+1:
			about.Complete, about.Truncated, about.RankingScope = false, true, "candidate_window"
			about.CandidateWindowLimit = maxCandidates
			about.TruncatedSourceCount++
		}
	}
	about.RankedCandidateCount = len(kept)
	return kept, about
}

func (s *server) searchLexical(c *call) (any, error) {
	wanted, err := s.newSearch(c)
	if err != nil {
		return nil, err
	}
	page, err := s.newSearchPage(c, wanted, "lexical", c.parameters.value("cursor"))
	if err != nil {
		return nil, err
	}
	hits, err := s.store.Search(c.Context(), wanted.q, wanted.scopes)
	if err != nil {
		return nil, err
	}
	hits, recall := candidates(hits)
	recall.SourcesSearchedCount = wanted.connections
	recall.RankingScope = cmp.Or(c.coming.RankingScope, recall.RankingScope)
	shown, next, err := page.cut(hits)
	if err != nil {
		return nil, err
	}
	answer := lexicalList{Object: "list", URL: c.URL.Path, Data: []searchHit{}, Links: listLinks{Self: c.self()}}
	for _, hit := range shown {
		document, err := s.lexicalHit(c, wanted, hit)
		if err != nil {
			return nil, err
		}
		answer.Data = append(answer.Data, document)
	}
	if next != "" {
		answer.HasMore, answer.NextCursor, answer.Links.Next = true, next, c.nextPage(next)
	}
	answer.Meta = lexicalMeta{
		Count: len(hits), CountAccuracy: "exact", Recall: recall, Warnings: c.meta(count{}).Warnings,
		Fulfillment: c.coming.fulfillment(),
	}
	if recall.Truncated {
		answer.Meta.CountAccuracy = "lower_bound"
	}
	return answer, nil
}

func (s *server) lexicalHit(c *call, wanted search, hit store.Hit) (searchHit, error) {
	document := c.newHit(wanted.sources[sourceKey{hit.ConnectionID, hit.Stream}], hit)
	// The snippet is of the first declared field that matched, which is the most telling one.
	first := slices.IndexFunc(hit.Matches, func(m store.Match) bool { return m.Field == document.MatchedFields[0] })
	text, truncated, err := s.store.Snippet(c.Context(), wanted.q, hit.Matches[first])
	if err != nil {
		return searchHit{}, err
	}
	document.Snippet = snippet{Field: document.MatchedFields[0], Text: text}
	document.EvidenceExcerpts = []excerpt{{
		Object: "evidence_excerpt", FieldPath: document.Snippet.Field, PreviewText: text,
		Provenance: "lexical_match", Truncated: truncated,
		Read: windowRead{
			Object: "field_window_read", Method: "GET", Route: recordPath(hit) + "/field-window",
			Stream: hit.Stream, RecordID: hit.Key, Field: document.Snippet.Field, ConnectionID: hit.ConnectionID,
		},
	}}
	document.Score = bm25(hit.Score)
	return document, nil
}

func bm25(value float64) *score { return &score{Kind: "bm25", Order: "lower_is_better", Value: value} }

// searchPage is a page of the hits of a search.
type searchPage struct {
	signer   *snapshotSigner
	query    string
	revision int64
	offset   int
	limit    int
}

// newSearchPage returns the page that a cursor names, or the first for an empty cursor.
func (s *server) newSearchPage(c *call, wanted search, mode, cursor string) (searchPage, error) {
	revision, err := s.store.Revision(c.Context())
	if err != nil {
		return searchPage{}, err
	}
	page := searchPage{signer: s.snapshots, query: wanted.digest(c, mode), revision: revision, limit: wanted.limit}
	if cursor != "" {
		page.offset, err = s.snapshots.decode(cursor, page.query, revision)
	}
	return page, err
}

// cut returns the page's hits, and the cursor of the next page unless it is the last.
func (p searchPage) cut(hits []store.Hit) ([]store.Hit, string, error) {
	start := min(p.offset, len(hits))
	end := min(start+p.limit, len(hits))
	if end == len(hits) {
		return hits[start:end], "", nil
	}
	next, err := p.signer.encode(end, p.query, p.revision)
	return hits[start:end], next, err
}
