package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
)

// snippetTokens is the number of words in a snippet, up to 64 (SQLite FTS5, "The snippet() function").
const snippetTokens = 40

// Marks around the words that matched.
const (
	markStart = "<mark>"
	markEnd   = "</mark>"
)

// SearchScope is a selection of records, and the fields of them that are searched.
type SearchScope struct {
	Selection
	Fields []string
	Stale  bool // search only the older half of the stream's changes
}

// Hit is a record that a search found.
type Hit struct {
	Entry
	Score   float64
	Matches []Match // at least one, best first
}

// Match is a field of a hit that matched.
type Match struct {
	Field string
	row   int64
}

// Search finds the live records that have every word or "quoted phrase" of query in one of their
// searched fields. The best come first: scores are BM25 as SQLite counts it, lower is better.
func (s *Store) Search(ctx context.Context, query string, scopes []SearchScope) ([]Hit, error) {
	expression := matchExpression(query)
	if expression == "" || len(scopes) == 0 {
		return []Hit{}, nil
	}
	var c clause
	c.add("SELECT searchable.id, field, bm25(searchable_text) AS score, "+entryColumns+`
		FROM searchable_text
		JOIN searchable ON searchable.id = searchable_text.rowid
		JOIN record ON record.id = searchable.record_id
		WHERE searchable_text MATCH ? AND deleted_at IS NULL AND (`, expression)
	whereSearched(&c, scopes)
	c.add(") ORDER BY score, key, connection_id, stream, searchable.id")
	return s.hits(ctx, &c)
}

// whereSearched adds the condition that a field is in one of the scopes.
func whereSearched(c *clause, scopes []SearchScope) {
	for i, scope := range scopes {
		if i > 0 {
			c.add(" OR ")
		}
		c.add("(")
		scope.where(c)
		c.add(" AND field IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(scope.Fields)), ", ") + ")")
		for _, field := range scope.Fields {
			c.arguments = append(c.arguments, field)
		}
		if scope.Stale {
			c.add(" AND record.version * 2 <= (SELECT version FROM stream_version WHERE connection_id = ? AND stream = ?)",
				scope.ConnectionID, scope.Stream)
		}
		c.add(")")
	}
}

// hits combines the rows of each record, which are not adjacent if its fields score differently. A hit has the score
// of its best field.
func (s *Store) hits(ctx context.Context, c *clause) ([]Hit, error) {
	rows, err := s.db.QueryContext(ctx, c.sql.String(), c.arguments...)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	defer rows.Close()
	hits := []Hit{}
	places := map[recordName]int{}
	for rows.Next() {
		match, score, entry, err := scanMatch(rows)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		name := recordName{entry.ConnectionID, entry.Stream, entry.Key}
		place, seen := places[name]
		if !seen {
			place = len(hits)
			places[name] = place
			hits = append(hits, Hit{Entry: entry, Score: score})
		}
		hits[place].Matches = append(hits[place].Matches, match)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return hits, nil
}

type recordName struct{ connectionID, stream, key string }

// prefixed scans the columns in front of an entry and then the entry.
type prefixed struct {
	*sql.Rows
	front []any
}

func (p prefixed) Scan(destinations ...any) error {
	return p.Rows.Scan(append(p.front, destinations...)...)
}

func scanMatch(rows *sql.Rows) (Match, float64, Entry, error) {
	var match Match
	var score float64
	entry, err := scanEntry(prefixed{rows, []any{&match.row, &match.Field, &score}})
	return match, score, entry, err
}

// Snippet returns the text around the match of query in a field of a hit, with the matched words between <mark> and
// </mark>, and reports whether text was left out. Search must have found the match with the same query.
func (s *Store) Snippet(ctx context.Context, query string, match Match) (string, bool, error) {
	key := snippetKey{query: matchExpression(query)}
	err := s.db.QueryRowContext(ctx, `SELECT text FROM searchable_text WHERE rowid = ?`, match.row).Scan(&key.text)
	snippet, isKnown := snippets.Get(key)
	if err == nil && !isKnown {
		err = s.db.QueryRowContext(ctx, `SELECT snippet(searchable_text, 0, ?, ?, '…', ?)
			FROM searchable_text WHERE searchable_text MATCH ? AND rowid = ?`,
			markStart, markEnd, snippetTokens, key.query, match.row).Scan(&snippet)
	}
	if err != nil {
		return "", false, fmt.Errorf("snippet of field %q: %w", match.Field, err)
	}
	snippets.Add(key, snippet)
	unmarked := strings.NewReplacer(markStart, "", markEnd, "")
	return snippet, unmarked.Replace(snippet) != unmarked.Replace(key.text), nil
}

// snippetKey is all that a snippet depends on.
type snippetKey struct{ query, text string }

// snippets has the last snippets. SQLite takes half a second for one of a text of 400 kB with many matches.
var snippets, _ = lru.New[snippetKey, string](128) // fails only for a size below one

// matchExpression converts a query to FTS5 syntax: every word and every quoted phrase must occur. It returns an empty
// string if query has no letter or digit.
func matchExpression(query string) string {
	var phrases []string
	query = strings.ReplaceAll(query, "\x00", " ") // which would end the expression early
	for i, part := range strings.Split(query, `"`) {
		terms := strings.Fields(part)
		if i%2 == 1 {
			terms = []string{part}
		}
		for _, term := range terms {
			if strings.ContainsFunc(term, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				phrases = append(phrases, `"`+strings.TrimSpace(term)+`"`)
			}
		}
	}
	return strings.Join(phrases, " ")
}

// searchedField is one searchable text of a record.
type searchedField struct {
	rowID int64 // in searchable and in searchable_text
	text  string
}

// replaceText updates the index with the record's current texts.
func replaceText(ctx context.Context, tx *transaction, id int64, r row) error {
	if err := unindexText(ctx, tx, id); err != nil {
		return err
	}
	fields, err := nameText(ctx, tx, id, r)
	if err != nil {
		return err
	}
	return indexText(ctx, tx, fields)
}

// nameText stores which fields of a record are searched. indexText then indexes their text.
func nameText(ctx context.Context, tx *transaction, id int64, r row) ([]searchedField, error) {
	var fields []searchedField
	for _, field := range r.stream.Fields {
		if !field.Lexical {
			continue
		}
		text := searchedText(r.values[field.Name])
		if text == "" {
			continue
		}
		result, err := tx.exec(ctx, `INSERT INTO searchable (record_id, field) VALUES (?, ?)`, id, field.Name)
		if err != nil {
			return nil, fmt.Errorf("index field %q: %w", field.Name, err)
		}
		rowID, err := result.LastInsertId()
		if err != nil {
			return nil, fmt.Errorf("index field %q: %w", field.Name, err)
		}
		fields = append(fields, searchedField{rowID, text})
	}
	return fields, nil
}

func indexText(ctx context.Context, tx *transaction, fields []searchedField) error {
	for _, field := range fields {
		if _, err := tx.exec(ctx, `INSERT INTO searchable_text (rowid, text) VALUES (?, ?)`, field.rowID,
			field.text); err != nil {
			return fmt.Errorf("index text: %w", err)
		}
	}
	return nil
}

func unindexText(ctx context.Context, tx *transaction, id int64) error {
	for _, statement := range []string{
		`DELETE FROM searchable_text WHERE rowid IN (SELECT id FROM searchable WHERE record_id = ?)`,
		`DELETE FROM searchable WHERE record_id = ?`,
	} {
		if _, err := tx.exec(ctx, statement, id); err != nil {
			return fmt.Errorf("remove from index: %w", err)
		}
	}
	return nil
}

// searchedText returns a string, or the strings of an array, one per line.
func searchedText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var texts []string
	if json.Unmarshal(raw, &texts) == nil {
		return strings.Join(texts, "\n")
	}
	return ""
}
