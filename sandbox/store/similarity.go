package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// leastCoverage is the least share of a query's trigrams that a similar text has.
const leastCoverage = 0.25

// Similar ranks the live records by how many of the query's trigrams (three letters in a row, words padded
// with a blank) one of their searched fields has. It finds word forms and misspellings that Search does not, but
// not synonyms. Scores are from 0 to 1, higher is better, best first.
func (s *Store) Similar(ctx context.Context, query string, scopes []SearchScope) ([]Hit, error) {
	wanted := newTrigramQuery(query)
	if len(wanted.places) == 0 || len(scopes) == 0 {
		return []Hit{}, nil
	}
	var c clause
	c.add("SELECT searchable.id, field, text, " + entryColumns + `
		FROM searchable_text
		JOIN searchable ON searchable.id = searchable_text.rowid
		JOIN record ON record.id = searchable.record_id
		WHERE deleted_at IS NULL AND (`)
	whereSearched(&c, scopes)
	c.add(") ORDER BY searchable.id")
	hits, err := s.similar(ctx, &c, wanted)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key), cmp.Compare(a.ConnectionID, b.ConnectionID))
	})
	return hits, nil
}

// similar compares every text that the clause selects. A hit has only the field that is most similar to the query.
func (s *Store) similar(ctx context.Context, c *clause, wanted *trigramQuery) ([]Hit, error) {
	rows, err := s.db.QueryContext(ctx, c.sql.String(), c.arguments...)
	if err != nil {
		return nil, fmt.Errorf("compare texts: %w", err)
	}
	defer rows.Close()
	hits := []Hit{}
	places := map[recordName]int{}
	for rows.Next() {
		var match Match
		var text string
		entry, err := scanEntry(prefixed{rows, []any{&match.row, &match.Field, &text}})
		if err != nil {
			return nil, fmt.Errorf("compare texts: %w", err)
		}
		score := wanted.coverage(text)
		if score < leastCoverage {
			continue
		}
		hit := Hit{Entry: entry, Score: score, Matches: []Match{match}}
		name := recordName{entry.ConnectionID, entry.Stream, entry.Key}
		if place, seen := places[name]; !seen {
			places[name] = len(hits)
			hits = append(hits, hit)
		} else if score > hits[place].Score {
			hits[place] = hit
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("compare texts: %w", err)
	}
	return hits, nil
}

// Beginning returns the start of a matched field, at most limit runes, and reports whether text was left out.
func (s *Store) Beginning(ctx context.Context, match Match, limit int) (string, bool, error) {
	var text string
	err := s.db.QueryRowContext(ctx, `SELECT text FROM searchable_text WHERE rowid = ?`, match.row).Scan(&text)
	if err != nil {
		return "", false, fmt.Errorf("text of field %q: %w", match.Field, err)
	}
	runes := 0
	for at := range text {
		if runes == limit {
			return text[:at] + "…", true, nil
		}
		runes++
	}
	return text, false, nil
}
